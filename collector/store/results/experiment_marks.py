"""The experiments that runs are part of: which of them the store knows, and what follows when a run joins one.

A run that is part of an experiment is not evaluated by passes, belongs to no session, and offers no tools to evaluate.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed
from .changes import Changes, Row

__all__ = ["find_joined", "keep_known", "withdraw"]

_COLUMN = "experiment_id"


def keep_known(connection: duckdb.DuckDBPyConnection, assembled: Mapping[str, pa.Table]) -> Mapping[str, pa.Table]:
    """Return the assembled rows without the ids of experiments that are not stored.

    Otherwise an agent could hide from evaluation by an attribute of its spans.
    """
    runs = assembled["agent_traces"]
    marks = runs.column(_COLUMN)
    if marks.null_count == len(marks):
        return assembled
    named = {"experiment_ids": listed(set(marks.to_pylist()) - {None})}
    known = {id_ for (id_,) in connection.execute(statement("known_experiments"), named).fetchall()}
    kept = pa.array([mark if mark in known else None for mark in marks.to_pylist()], type=marks.type)
    index = runs.schema.get_field_index(_COLUMN)
    return {**assembled, "agent_traces": runs.set_column(index, runs.schema.field(index), kept)}


def find_joined(stored: Mapping[str, Row], changes: Changes) -> list[Row]:
    """Return the stored rows of the runs of production that turn out to be part of an experiment."""
    return [
        stored[run["agent_trace_id"]]
        for run in [*changes.changed, *changes.stale]
        if run[_COLUMN] is not None and stored[run["agent_trace_id"]][_COLUMN] is None
    ]


def withdraw(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str], *, now: datetime) -> None:
    """Delete these runs from the deferred targets, and withdraw the scores that evaluators gave them in production."""
    if agent_trace_ids:
        runs = listed(agent_trace_ids)
        connection.execute(statement("delete_gone_targets"), {"target_ids": runs})
        connection.execute(statement("withdraw_production_scores"), {"agent_trace_ids": runs, "now": now})
