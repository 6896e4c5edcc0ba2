"""The experiments that runs are part of: which marks the store accepts, and what follows when a run joins one.

A run that is part of an experiment is not evaluated by passes, belongs to no session, and offers no tools to evaluate.
Whoever sends spans can write a mark. So a mark counts only if the experiment is stored and was in progress when the
agent span of the run arrived, and never for a run that has scores of production. The server makes the ids of
experiments when they begin: no span that is part of one arrives earlier. The mark has no key: it stands in the resource
of stored spans, where everybody who may read the id of an experiment could read its key, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

import duckdb
import orjson
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed
from .changes import Changes, Row

__all__ = ["accept_marks", "delete_deferrals", "find_joined"]

_COLUMN: Final = "experiment_id"

_CONFLICT: Final = "experiment_conflict"
"""The gap of a run of production whose spans name a stored experiment."""

_EXPORTED_WITHIN: Final = timedelta(minutes=10)
"""Exporters repeat a request for up to five minutes; until then, spans may arrive after their experiment has ended."""


def accept_marks(
    connection: duckdb.DuckDBPyConnection, assembled: dict[str, pa.Table], stored: Mapping[str, Row]
) -> dict[str, pa.Table]:
    """Return the assembled rows with the accepted ids of experiments only; `stored` are the rows of the same runs.

    A run that is stored as one of its experiment stays one. A run that names a stored experiment and is not accepted
    gets the gap `experiment_conflict`.
    """
    runs = assembled["agent_traces"]
    marks = {run["agent_trace_id"]: run[_COLUMN] for run in runs.select(["agent_trace_id", _COLUMN]).to_pylist()}
    named = {key: mark for key, mark in marks.items() if mark is not None}
    if not named:
        return assembled
    kept = {key for key, mark in named.items() if key in stored and stored[key][_COLUMN] == mark}
    known, arrived = _find_arrived(connection, {key: named[key] for key in named.keys() - kept})
    accepted = kept | (arrived - _find_scored(connection, arrived))
    refused = known - accepted
    rows = [
        (named[key] if key in accepted else None, _add_gap(gaps) if key in refused else gaps)
        for key, gaps in zip(marks, runs.column("gaps").to_pylist(), strict=True)
    ]
    for name, values in zip((_COLUMN, "gaps"), zip(*rows, strict=True), strict=True):
        index = runs.schema.get_field_index(name)
        field = runs.schema.field(index)
        runs = runs.set_column(index, field, pa.array(values, type=field.type))
    return {**assembled, "agent_traces": runs}


def find_joined(stored: Mapping[str, Row], changes: Changes) -> list[Row]:
    """Return the stored rows of the runs of production that turn out to be part of an experiment."""
    return [
        stored[run["agent_trace_id"]]
        for run in [*changes.changed, *changes.stale]
        if run[_COLUMN] is not None and stored[run["agent_trace_id"]][_COLUMN] is None
    ]


def delete_deferrals(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> None:
    """Delete these runs, which are not evaluated in production any more, from the deferred targets."""
    if agent_trace_ids:
        connection.execute(statement("delete_gone_targets"), {"target_ids": listed(agent_trace_ids)})


def _find_arrived(connection: duckdb.DuckDBPyConnection, marks: Mapping[str, str]) -> tuple[set[str], frozenset[str]]:
    """Return of runs with `marks` those whose experiment is stored, and of these those that arrived during it."""
    about = {"experiment_ids": listed(set(marks.values()))}
    rows = connection.execute(statement("known_experiments"), about).fetchall() if marks else []
    lasted: dict[str, tuple[datetime, datetime | None]] = {id_: (began, ended) for id_, began, ended in rows}
    known = {key for key, mark in marks.items() if mark in lasted}
    if not known:
        return known, frozenset()
    bounds = {
        "agent_trace_ids": listed(known),
        "trace_ids": listed({key.partition("-")[0] for key in known}),
        "since": min(began for began, _ in lasted.values()),
    }
    arrivals: list[tuple[str, datetime]] = connection.execute(statement("arrivals_of_runs"), bounds).fetchall()
    return known, frozenset(key for key, at in arrivals if _was_in_progress(*lasted[marks[key]], at))


def _was_in_progress(began: datetime, ended: datetime | None, at: datetime) -> bool:
    return began <= at and (ended is None or at <= ended + _EXPORTED_WITHIN)


def _find_scored(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> set[str]:
    """Return those of these runs that have scores of production."""
    if not agent_trace_ids:
        return set()
    about = {"agent_trace_ids": listed(agent_trace_ids)}
    return {key for (key,) in connection.execute(statement("runs_scored_in_production"), about).fetchall()}


def _add_gap(gaps: str | None) -> str:
    return orjson.dumps(sorted({*orjson.loads(gaps or "[]"), _CONFLICT})).decode()
