"""Runs of experiments, and results that are made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from tests.support.evaluators import make_evaluator

from tracegrade.evaluators.definition.score_record import score_record
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.queries.ports import EvaluatorForm, ExperimentStart, RecordedRun

__all__ = ["make_failed_run", "make_item", "make_recorded_run", "make_result", "make_scored_run", "make_start"]

_BEGAN = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it


def make_item(item: str, text: str = "") -> DatasetItem:
    """An item of this id, whose input is this text or its id."""
    return DatasetItem(id=item, input=text or item)


def make_failed_run(item: str, cause: str = "LookupError: no\nhotel") -> ExperimentRun:
    """A run of a task that failed."""
    return ExperimentRun(item=make_item(item), status="error", cause=cause)


def make_scored_run(item: str, *scores: float | Score, repeat: int = 0, **fields: Any) -> ExperimentRun:
    """A run on an item with these scores of the evaluator `own`, which passes 1 alone."""
    run = AgentTrace(agent_trace_id=f"{item}-{repeat}")
    evaluator = make_evaluator(**fields)
    records = tuple(
        score_record(evaluator, run, score if isinstance(score, Score) else Score(value=float(score)), scored_at=_BEGAN)
        for score in scores
    )
    return ExperimentRun(item=make_item(item), repeat=repeat, run=run, scores=records)


def make_result(
    runs: Iterable[ExperimentRun] | Mapping[str, Iterable[float]], name: str = "experiment", **fields: Any
) -> ExperimentResult:
    """A result of these runs, or of repeats with these values by item."""
    if isinstance(runs, Mapping):
        runs = [
            make_scored_run(item, value, repeat=repeat)
            for item, values in runs.items()
            for repeat, value in enumerate(values)
        ]
    return ExperimentResult(name=name, runs=tuple(runs), **{"started_at": _BEGAN, "ended_at": _BEGAN, **fields})


def make_start(name: str = "new prompt", **fields: Any) -> ExperimentStart:
    """An experiment with two repeats of three items, evaluated by `own`."""
    form = EvaluatorForm(name="own", version=1, config_hash="own")
    usual = {"items": 3, "repeats": 2, "evaluators": (form,), "task": "my_agent:answer", "plan_hash": "plan"}
    return ExperimentStart(**{"name": name, **usual, **fields})


def make_recorded_run(
    position: int, *scores: float | Score, repeat: int = 0, cause: str | None = None, **fields: Any
) -> RecordedRun:
    """The run on the item of this position and name; with a `cause` one that failed."""
    item = str(position)
    run = make_failed_run(item, cause) if cause else make_scored_run(item, *scores, repeat=repeat)
    return RecordedRun.of(replace(run, repeat=repeat, **fields), position)
