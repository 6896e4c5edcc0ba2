"""Keeps what errors, calls and scores say of each outermost run in its row of `agent_traces`.

The macro `run_outcomes_of` is the only definition. A transaction that changes runs or scores notes what it has
`Touched`. At its end it writes the outcomes of the outermost runs around these, and marks the hours in which they
began.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from tracegrade.queries.catalog import report, statement

from ..engines.arrow import listed, read_table, registered
from . import changed_hours
from .touched import Touched

__all__ = ["find_scored_by_people", "find_waiting", "list_days", "renew", "write"]

Day: TypeAlias = Mapping[str, Any]
"""A row of the report `days_with_runs`."""

_TimeSpan: TypeAlias = tuple[datetime, datetime, int]
"""Between which times the targets of scores on a run began, and the position of its row."""

_MARGINS: Final = (timedelta(0), timedelta(minutes=1), timedelta(hours=1))
"""How long before the known times runs are looked for, one after the other: a run began before its calls."""

_GAP: Final = timedelta(hours=1)
"""Runs that began further apart are computed separately, since all that lies between them would be read."""

_MOST_GROUPS: Final = 8
"""More statements than this would take longer than reading what lies between runs."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows of `trees_of_runs` of outermost runs, and between which times the targets of scores in their trees began."""

    runs: pa.Table
    earliest: datetime
    latest: datetime


def find_scored_by_people(
    connection: duckdb.DuckDBPyConnection, score_ids: Iterable[str], *, earliest: datetime, latest: datetime
) -> Touched:
    """Return the runs that some scores are on, as far as people gave these; all were given between the times."""
    asked = {"score_ids": listed(score_ids), "earliest": earliest, "latest": latest}
    touched = Touched()
    for agent_trace_id, target_time in connection.execute(statement("runs_scored_by_people"), asked).fetchall():
        touched.add((agent_trace_id,), (target_time,))
    return touched


def find_waiting(connection: duckdb.DuckDBPyConnection, session_ids: Collection[str]) -> Touched:
    """Return the runs of some sessions that stopped for a person: what happens later in the session answers them."""
    touched = Touched()
    if session_ids:
        asked = {"session_ids": listed(session_ids)}
        for agent_trace_id, started_at in connection.execute(statement("waiting_runs_of_sessions"), asked).fetchall():
            touched.add((agent_trace_id,), (started_at,))
    return touched


def write(connection: duckdb.DuckDBPyConnection, touched: Touched) -> None:
    """Compute and write the outcomes of the outermost runs around those that were `touched`, and mark their hours."""
    outermost = _find_outermost(connection, touched)
    changed_hours.mark(connection, touched.hours | _list_hours(outermost))
    for group in _split(connection, outermost):
        faulty = group.runs.filter(group.runs.column("is_faulty")).column("agent_trace_id")
        computed = _compute(connection, group.runs.select(["agent_trace_id"]), group.earliest, group.latest)
        _update(connection, computed, faulty, {"earliest": group.earliest, "latest": group.latest})


def list_days(connection: duckdb.DuckDBPyConnection) -> list[Day]:
    """Return the days with runs."""
    cursor = connection.execute(report("days_with_runs"))
    names = [name for name, *_ in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def renew(connection: duckdb.DuckDBPyConnection, day: Day) -> None:
    """Compute and write the outcomes of all outermost runs of a day."""
    runs = read_table(connection, "runs_of_day", {"day": day["day"]})
    computed = _compute(connection, runs, day["earliest"], day["latest"])
    period = {"earliest": day["earliest"], "latest": day["latest"]}
    _update(connection, computed, runs.column("agent_trace_id"), period)


def _compute(connection: duckdb.DuckDBPyConnection, runs: pa.Table, earliest: datetime, latest: datetime) -> pa.Table:
    with registered(connection, "touched_runs", runs):
        return read_table(connection, "outcomes_of_runs", {"earliest": earliest, "latest": latest})


def _update(
    connection: duckdb.DuckDBPyConnection,
    computed: pa.Table,
    faulty: pa.ChunkedArray,
    period: Mapping[str, datetime],
) -> None:
    """Write computed outcomes; faults, which few runs have, only where there are some or were at the `faulty` runs."""
    with registered(connection, "computed_outcomes", computed):
        connection.execute(statement("update_outcomes"), period)
    is_concerned = pc.is_in(computed.column("agent_trace_id"), value_set=faulty)
    for name in ("fault", "failed_tools", "invalid_tools"):
        is_concerned = pc.or_(is_concerned, pc.is_valid(computed.column(name)))
    concerned = computed.filter(is_concerned)
    if concerned.num_rows:
        with registered(connection, "computed_outcomes", concerned):
            connection.execute(statement("update_faults"), period)


def _find_outermost(connection: duckdb.DuckDBPyConnection, touched: Touched) -> pa.Table | None:
    """Return the rows of `trees_of_runs` for the outermost runs around the touched ones, None if there are none."""
    sought, known, parts = touched.agent_trace_ids, set[str](), []
    for earliest, latest in _list_periods(touched):
        if not sought:
            break
        with registered(connection, "touched_runs", pa.table({"agent_trace_id": pa.array(sought, pa.string())})):
            found = read_table(connection, "trees_of_runs", {"earliest": earliest, "latest": latest})
        outermost = found.filter(pc.equal(found.column("agent_trace_id"), found.column("root_agent_trace_id")))
        parts.append(outermost)
        if outermost.num_rows == len(sought):  # as nearly always
            break
        known |= set(outermost.column("agent_trace_id").to_pylist())
        around = set(found.column("root_agent_trace_id").to_pylist())
        left = sought.difference(found.column("agent_trace_id").to_pylist()) if earliest else set[str]()
        sought = (left | around) - known
    return pa.concat_tables(parts) if parts else None


def _list_hours(outermost: pa.Table | None) -> set[datetime]:
    if outermost is None:
        return set()
    return set(pc.unique(pc.floor_temporal(outermost.column("started_at"), unit="hour")).to_pylist())


def _list_periods(touched: Touched) -> list[tuple[datetime | None, datetime | None]]:
    """Return the periods in which runs are looked for, all time twice: outermost runs may be known only after it.

    Runs that the first look over all time has not found do not exist.
    """
    near: list[tuple[datetime | None, datetime | None]] = []
    if touched.earliest is not None:
        near = [(touched.earliest - margin, touched.latest) for margin in _MARGINS]
    return [*near, (None, None), (None, None)]


def _split(connection: duckdb.DuckDBPyConnection, outermost: pa.Table | None) -> Iterator[_Group]:
    """Split outermost runs into groups that follow each other closely."""
    if outermost is None or not outermost.num_rows:
        return
    former = _read_former_starts(connection, outermost)
    earliest, latest = pc.min(outermost.column("earliest_at")).as_py(), pc.max(outermost.column("latest_at")).as_py()
    if not former and latest - earliest <= _GAP:
        yield _Group(outermost, earliest, latest)
        return
    spans = sorted(
        _time_span(index, row, former.get(row["agent_trace_id"].partition("-")[0], ()))
        for index, row in enumerate(outermost.to_pylist())
    )
    begin = 0
    for end in (*_find_cuts(spans), len(spans)):
        members = spans[begin:end]
        rows = outermost.take([index for *_, index in members])
        yield _Group(rows, members[0][0], max(latest for _, latest, _ in members))
        begin = end


def _time_span(index: int, row: Mapping[str, Any], former: Collection[datetime]) -> _TimeSpan:
    times = (row["earliest_at"], row["latest_at"], *former)
    return min(times), max(times), index


def _find_cuts(spans: Sequence[_TimeSpan]) -> list[int]:
    """Return before which of these runs, which are sorted, the longest gaps are."""
    ends = accumulate((latest for _, latest, _ in spans), max)
    gaps = [
        (earliest - end, index) for index, (end, (earliest, _, _)) in enumerate(zip(ends, spans[1:], strict=False), 1)
    ]
    longest = sorted((gap for gap in gaps if gap[0] > _GAP), reverse=True)[: _MOST_GROUPS - 1]
    return sorted(index for _, index in longest)


def _read_former_starts(connection: duckdb.DuckDBPyConnection, runs: pa.Table) -> dict[str, tuple[datetime, datetime]]:
    """Return by trace the first and last former start of its runs; older scores have these times."""
    if connection.execute(statement("has_former_starts")).fetchall() == [(False,)]:
        return {}
    asked = {"agent_trace_ids": listed(runs.column("agent_trace_id").to_pylist())}
    rows = connection.execute(statement("former_starts_around_runs"), asked).fetchall()
    return {trace_id: (earliest, latest) for trace_id, earliest, latest in rows}
