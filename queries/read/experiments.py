"""Experiments of a store with their runs and scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial
from typing import Any, Final

import orjson

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult

from ..catalog import report
from ..ports import EvaluatorForm
from .paging import rows_by_page
from .source import Read, rows_of

__all__ = ["StoredExperiment", "UnknownExperiment", "build_result", "read_result", "read_stored"]

_SCORE_FIELDS: Final = tuple(field.name for field in fields(ScoreRecord))


class UnknownExperiment(LookupError):
    """No experiment has this id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredExperiment:
    """An experiment in the store. Of `items` times `repeats` runs, `runs` are stored, and `errors` of them failed.

    `ended_at` is None if it is in progress or was interrupted. Times are UTC.
    """

    experiment_id: str
    name: str
    dataset: str | None
    dataset_version: int | None
    items: int
    repeats: int
    evaluators: tuple[EvaluatorForm, ...]
    task: str
    metadata: Mapping[str, Any]
    author: str
    started_at: datetime
    ended_at: datetime | None
    runs: int
    errors: int


def read_stored(row: Mapping[str, Any]) -> StoredExperiment:
    """Return the experiment of a row of `matching_experiments`."""
    forms = tuple(EvaluatorForm.model_validate(form) for form in orjson.loads(row["evaluators"]))
    values = {name: value for name, value in row.items() if name != "plan_hash"}
    return StoredExperiment(**{**values, "evaluators": forms, "metadata": orjson.loads(row["metadata"])})


def read_result(read: Read, experiment_id: str) -> tuple[StoredExperiment, ExperimentResult]:
    """Return an experiment by its whole id, and its result as far as it is recorded. Raises UnknownExperiment."""
    about = {"name": None, "id": experiment_id, "dataset": None, "limit": 1}
    found = rows_of(read(report("matching_experiments"), parameters=about))
    if not found or found[0]["experiment_id"] != experiment_id:
        raise UnknownExperiment(f"there is no experiment {experiment_id[:200]!r}")
    experiment = read_stored(found[0])
    # The runs first: the scores of a run are stored with it, so that none of a run that is read is missing.
    pages = partial(rows_by_page, read, experiment_id=experiment_id)
    rows = list(pages(report("runs_of_experiment"), after={"position": -1, "repeat": -1}))
    scores = pages(report("scores_of_experiment"), after={"score_id": ""})
    return experiment, build_result(experiment, rows, map(_read_score, scores))


def build_result(
    experiment: StoredExperiment, rows: Iterable[Mapping[str, Any]], scores: Iterable[ScoreRecord]
) -> ExperimentResult:
    """Return the result of an experiment from rows of `runs_of_experiment` and its scores.

    The `run` of its runs is None: `agent_trace_id` names it.
    """
    by_run = _group_by_run(scores, experiment)
    return ExperimentResult(
        name=experiment.name,
        runs=tuple(_make_run(row, by_run.get(row["agent_trace_id"], ())) for row in rows),
        started_at=experiment.started_at,
        ended_at=experiment.ended_at,
        experiment_id=experiment.experiment_id,
        dataset=experiment.dataset,
        dataset_version=experiment.dataset_version,
        evaluator_names=tuple(form.name for form in experiment.evaluators),
    )


def _read_score(row: Mapping[str, Any]) -> ScoreRecord:
    values = {name: row[name] for name in _SCORE_FIELDS}
    return ScoreRecord(**{**values, "details": orjson.loads(row["details"] or "{}")})


def _make_run(row: Mapping[str, Any], scores: Iterable[ScoreRecord]) -> ExperimentRun:
    return ExperimentRun(
        item=DatasetItem.model_validate_json(row["item"]),
        repeat=row["repeat"],
        status=row["status"],
        cause=row["cause"],
        agent_trace_id=row["agent_trace_id"],
        duration_ms=row["duration_ms"],
        scores=tuple(scores),
    )


def _group_by_run(
    scores: Iterable[ScoreRecord], experiment: StoredExperiment
) -> Mapping[str | None, list[ScoreRecord]]:
    """Return the scores by agent_trace_id, in the order in which the evaluators of the experiment gave them."""
    order = {form.name: number for number, form in enumerate(experiment.evaluators)}
    by_run: dict[str | None, list[ScoreRecord]] = {}
    for score in scores:
        by_run.setdefault(score.agent_trace_id, []).append(score)
    for of_run in by_run.values():
        of_run.sort(
            key=lambda score: (
                order.get(score.evaluator, len(order)),
                -1 if score.tool_call_position is None else score.tool_call_position,
                score.scored_at,
                score.target_id,
            )
        )
    return by_run
