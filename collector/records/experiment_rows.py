"""Maps experiments and their runs to rows of `experiments`, `experiment_runs` and `scores`."""

from __future__ import annotations

from datetime import datetime

import orjson

from tracegrade.evaluators.definition.score_record import score_of_experiment
from tracegrade.evaluators.experiments.dataset_file import write_items
from tracegrade.queries.ports import ExperimentStart, RecordedRun

from .row_mapping import score_row
from .table_mapping import Row

__all__ = ["experiment_row", "experiment_run_row", "experiment_score_rows"]


def experiment_row(start: ExperimentStart, *, experiment_id: str, started_at: datetime) -> Row:
    """Return the row of an experiment that begins."""
    fields = start.model_dump(mode="json", exclude={"is_new"})
    texts = {name: orjson.dumps(fields[name]).decode() for name in ("evaluators", "metadata")}
    return {**fields, **texts, "experiment_id": experiment_id, "started_at": started_at}


def experiment_run_row(run: RecordedRun, *, experiment_id: str, ended_at: datetime) -> Row:
    """Return the row of a run of an experiment."""
    return {
        "experiment_id": experiment_id,
        "item_id": run.item.id,
        "repeat": run.repeat,
        "position": run.position,
        "item": write_items([run.item]).rstrip("\n"),
        "item_hash": run.item.hash,
        "status": run.status,
        "cause": run.cause,
        "agent_trace_id": run.agent_trace_id,
        "duration_ms": run.duration_ms,
        "ended_at": ended_at,
    }


def experiment_score_rows(run: RecordedRun, *, experiment_id: str) -> list[Row]:
    """Return the rows of the scores on a run, as those of the experiment."""
    return [
        score_row(score_of_experiment(score, experiment_id, agent_trace_id=run.agent_trace_id)) for score in run.scores
    ]
