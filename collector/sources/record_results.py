"""Evaluates a run of a file, and describes its scores in Floeval's shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, TypeAlias

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.judges.backends.in_process import JudgeFunction
from tracegrade.evaluators.model import AgentTrace

from .floeval.results import AgentEvaluationResult

__all__ = ["FindJudge", "evaluate_entries"]

FindJudge: TypeAlias = Callable[[str | None], JudgeFunction | None]
"""Returns the judge of a name; None if there is none."""

_UNASKED: Final = {"score": None, "metadata": {"error": "it asks a judge; add `judges` to tracegrade.yaml"}}


def evaluate_entries(
    entries: Sequence[Imported], evaluators: Sequence[Configured], find_judge: FindJudge
) -> AgentEvaluationResult:
    """Evaluate the entries with a run, each with its own expectations."""
    judges = {each.name: find_judge(each.asks) if each.kind == "llm" else None for each in evaluators}
    runs = [(entry, run) for entry in entries if (run := entry.expected_run) is not None]
    rows = [_evaluate(entry, run, evaluators, judges) for entry, run in runs]
    values = {
        each.name: [score for row in rows if (score := row["metrics"][each.name]["score"]) is not None]
        for each in evaluators
    }
    return AgentEvaluationResult(rows, {name: fmean(scores) for name, scores in values.items() if scores})


def _evaluate(
    entry: Imported, run: AgentTrace, evaluators: Sequence[Configured], judges: Mapping[str, JudgeFunction | None]
) -> dict[str, Any]:
    return {
        "user_input": run.input if entry.input is None else entry.input,
        "final_response": run.final_response,
        "reference_outcome": run.reference.expected_response if run.reference else None,
        "metrics": {each.name: _measure(run, each, judges[each.name]) for each in evaluators},
        **({"metadata": entry.metadata} if entry.metadata else {}),
    }


def _measure(run: AgentTrace, evaluator: Configured, judge: JudgeFunction | None) -> dict[str, Any]:
    if evaluator.kind == "llm" and judge is None:
        return _UNASKED
    return _describe(evaluate(evaluator, run, judge=judge))


def _describe(scores: Sequence[ScoreRecord]) -> dict[str, Any]:
    """Return the scores of one evaluator on a run as one metric: of several, the mean."""
    values = [score.value for score in scores if score.value is not None]
    if not values:
        reason = next((score.reason for score in scores if score.reason), "it was not evaluated")
        return {"score": None, "metadata": {"error": reason}}
    first = scores[0]
    known = {"reasoning": first.explanation, "passed": first.passed, "threshold": first.threshold}
    warnings = {"warnings": first.details["warnings"]} if first.details.get("warnings") else {}
    metadata = {key: value for key, value in known.items() if value is not None} | warnings
    return {"score": fmean(values), "metadata": metadata}
