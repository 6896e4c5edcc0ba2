"""Whether an experiment can use an evaluator."""

from __future__ import annotations

from collections.abc import Collection

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.misuse import refuse_misuse
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.text.suggestions import hint

__all__ = ["find_obstacle", "refuse_unusable"]


def refuse_unusable(evaluator: Configured, *, has_judge: bool, judges: Collection[str]) -> None:
    """Raise TypeError unless an experiment can use the evaluator, with a function as the judge or with these judges."""
    refuse_misuse(evaluator, AgentTrace())
    if (obstacle := find_obstacle(evaluator, has_judge=has_judge, judges=judges)) is not None:
        raise TypeError(obstacle)


def find_obstacle(evaluator: Configured, *, has_judge: bool, judges: Collection[str]) -> str | None:
    """Return why an experiment cannot use an evaluator of runs; None if it can."""
    if not evaluator.is_imported:
        return f"{evaluator.name} cannot evaluate, since its function is not imported"
    if evaluator.kind == "sql":
        preview = f"`tracegrade preview {evaluator.name}` evaluates stored ones with it"
        return (
            f"{evaluator.name} is a query over stored runs, and an experiment evaluates each run by itself; {preview}"
        )
    if evaluator.kind != "llm" or has_judge:
        return None
    if not judges:
        asks = f"{evaluator.name} asks a judge"
        return f"{asks}: give `judge`, a function that takes a text and returns one, or `judges`, a Judge for each name"
    if evaluator.asks in judges:
        return None
    known = hint(evaluator.asks or "", sorted(judges))
    return f"{evaluator.name} asks the judge {evaluator.asks!r}, which is not in `judges`{known}"
