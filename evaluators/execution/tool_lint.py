"""Finds faults in tool definitions before any run shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..checks.slips import undefined_required, unknown_types
from ..checks.validity.schema import Unsafe, compiled
from ..definition.registry import Configured
from ..model import ToolDefinition
from .run import evaluate

__all__ = ["Finding", "find_contradictions", "lint_definitions"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a tool, and the check that found it."""

    tool: str
    check: str
    fault: str


def lint_definitions(tools: Sequence[ToolDefinition], evaluators: Iterable[Configured]) -> list[Finding]:
    """Return the faults that `evaluators` of scope `tool` find, contradicting definitions, and unusable schemas.

    No judge is asked: only the rules of an evaluator that asks one are applied, if it has any.
    """
    rules = [replace(evaluator, kind="code") for evaluator in evaluators if callable(evaluator.function)]
    return [*find_contradictions(tools), *(finding for tool in tools for finding in _lint_tool(tool, rules))]


def find_contradictions(tools: Iterable[ToolDefinition]) -> Iterator[Finding]:
    """Yield names that several different definitions have."""
    names = Counter(name for name, _ in {(tool.name, tool.hash) for tool in tools})
    for name, count in names.items():
        if count > 1:
            yield Finding(name, "one_definition", f"{count} different definitions have this name")


def _lint_tool(tool: ToolDefinition, evaluators: Iterable[Configured]) -> Iterator[Finding]:
    yield from _lint_schema(tool)
    for evaluator in evaluators:
        for score in evaluate(evaluator, tool):
            if score.status == "error":
                yield Finding(tool.name, evaluator.name, score.reason or "it failed")
            elif faults := score.details.get("faults"):
                yield from (Finding(tool.name, check, fault) for check, fault in dict(faults).items())  # type: ignore[call-overload]  # details are JSON
            elif score.passed is False:
                yield Finding(tool.name, evaluator.name, score.explanation or f"{score.value:g}")


def _lint_schema(tool: ToolDefinition) -> Iterator[Finding]:
    if tool.input_schema is None:
        return
    yield from (Finding(tool.name, "defined_required", fault) for fault in undefined_required(tool.input_schema))
    if wrong := unknown_types(tool.input_schema):
        yield from (Finding(tool.name, "known_types", fault) for fault in wrong)
        return
    try:
        compiled(tool.input_schema)
    except Unsafe as fault:
        yield Finding(tool.name, "usable_schema", f"its schema {fault}")
