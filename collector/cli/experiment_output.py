"""Prints experiments, comparisons and trends, as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.comparison import Comparison
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.experiments.trend import Trend
from tracegrade.evaluators.text.messages import shortened
from tracegrade.queries.foreign_text import one_line

from .console import console, print_json

__all__ = ["print_comparison", "print_failed", "print_result", "print_trend"]

_MOST_FAILED: Final = 20
_LONGEST: Final = 100
_SCORE_FIELDS: Final = (
    "evaluator",
    "tool_call_position",
    "status",
    "value",
    "label",
    "passed",
    "explanation",
    "reason",
)


def print_result(result: ExperimentResult, *, as_json: bool) -> None:
    """Print the figures of an experiment; as JSON with all runs and scores."""
    if as_json:
        print_json(_build_result(result))
        return
    _print_lines(str(result))
    if result.experiment_id is not None:
        console().print(f"kept as experiment {result.experiment_id[:8]}", markup=False)


def print_failed(result: ExperimentResult) -> None:
    """Print the runs with an error or a failed score, the first ones."""
    failed = [(run, why) for run in result.runs if (why := _explain_failure(run))]
    for run, why in failed[:_MOST_FAILED]:
        _print_lines(f"✗ {run.item.id} (repeat {run.repeat + 1}): {shortened(' '.join(why.split()), _LONGEST)}")
    if len(failed) > _MOST_FAILED:
        console().print(f"… and {len(failed) - _MOST_FAILED:,} more; --json shows all")


def print_comparison(comparison: Comparison, *, as_json: bool) -> None:
    """Print the comparison of two experiments."""
    if as_json:
        print_json(asdict(comparison))
    else:
        _print_lines(str(comparison))


def print_trend(trend: Trend, *, as_json: bool) -> None:
    """Print a trend."""
    if as_json:
        print_json(asdict(trend))
    else:
        _print_lines(str(trend))


def _print_lines(text: str) -> None:
    for line in text.splitlines():
        console().print(one_line(line), markup=False, soft_wrap=True)


def _explain_failure(run: ExperimentRun) -> str | None:
    if run.cause is not None:
        return run.cause
    failed = [score for score in run.scores if score.passed is False or score.status == "error"]
    return f"{failed[0].evaluator}: {failed[0].explanation or failed[0].reason or 'it failed'}" if failed else None


def _build_result(result: ExperimentResult) -> Mapping[str, Any]:
    return {
        "experiment_id": result.experiment_id,
        "name": result.name,
        "dataset": result.dataset,
        "dataset_version": result.dataset_version,
        "started_at": result.started_at,
        "ended_at": result.ended_at,
        "evaluators": [
            {**asdict(each), "pass_rate": None if each.pass_rate is None else asdict(each.pass_rate)}
            for each in result.evaluators
        ],
        "runs": list(_list_runs(result)),
    }


def _list_runs(result: ExperimentResult) -> Iterator[Mapping[str, Any]]:
    for run in result.runs:
        yield {
            "item_id": run.item.id,
            "repeat": run.repeat,
            "status": run.status,
            "cause": run.cause,
            "agent_trace_id": run.agent_trace_id,
            "duration_ms": run.duration_ms,
            "scores": [_describe_score(score) for score in run.scores],
        }


def _describe_score(score: ScoreRecord) -> Mapping[str, Any]:
    return {name: getattr(score, name) for name in _SCORE_FIELDS}
