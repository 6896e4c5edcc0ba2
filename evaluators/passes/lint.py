"""What is wrong with tools as they are offered, before any run shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..checks.slips import undefined_required, unknown_types
from ..checks.validity.schema import Unsafe, compiled
from ..definition.registry import Configured
from ..execution.run import evaluate
from ..model import ToolDefinition

__all__ = ["Finding", "contradictions", "lint"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one tool, and the check that found it."""

    tool: str
    check: str
    fault: str


def lint(tools: Sequence[ToolDefinition], evaluators: Iterable[Configured]) -> list[Finding]:
    """The faults that `evaluators` of scope `tool` find, definitions that contradict, and schemas of no use.

    No judge is asked: of an evaluator that asks one only its rules are applied, if it has any.
    """
    rules = [replace(one, kind="code") for one in evaluators if callable(one.function)]
    return [*contradictions(tools), *(finding for tool in tools for finding in _of_tool(tool, rules))]


def contradictions(tools: Iterable[ToolDefinition]) -> Iterator[Finding]:
    """Names that stand for different definitions."""
    names = Counter(name for name, _ in {(tool.name, tool.hash) for tool in tools})
    for name, count in names.items():
        if count > 1:
            yield Finding(name, "one_definition", f"{count} different definitions have this name")


def _of_tool(tool: ToolDefinition, evaluators: Iterable[Configured]) -> Iterator[Finding]:
    yield from _schema(tool)
    for evaluator in evaluators:
        for score in evaluate(evaluator, tool):
            if score.status == "error":
                yield Finding(tool.name, evaluator.name, score.reason or "it failed")
            elif faults := score.details.get("faults"):
                yield from (Finding(tool.name, check, fault) for check, fault in dict(faults).items())  # type: ignore[call-overload]  # details are JSON
            elif score.passed is False:
                yield Finding(tool.name, evaluator.name, score.explanation or f"{score.value:g}")


def _schema(tool: ToolDefinition) -> Iterator[Finding]:
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
