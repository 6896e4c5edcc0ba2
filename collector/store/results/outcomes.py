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

from ..engines.arrow import listed, read_table
from . import changed_hours
from .touched import Touched

__all__ = ["find_scored_by_people", "list_days", "renew", "write"]

Day: TypeAlias = Mapping[str, Any]
"""A row of the report `days_with_runs`."""

_MARGINS: Final = (timedelta(0), timedelta(minutes=1), timedelta(hours=1))
"""How long before the known times runs are looked for, one after the other: a run began before its calls."""

_GAP: Final = timedelta(hours=1)
"""Runs that began further apart are computed separately, since all that lies between them would be read."""

_MOST_GROUPS: Final = 8
"""More statements than this would take longer than reading what lies between runs."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Outermost runs, one or several, and between which times the targets of scores in their trees began."""

    agent_trace_ids: Collection[str]
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


def write(connection: duckdb.DuckDBPyConnection, touched: Touched) -> None:
    """Compute and write the outcomes of the outermost runs around those that were `touched`, and mark their hours."""
    outermost = _find_outermost(connection, touched)
    changed_hours.mark(connection, touched.hours | _list_hours(outermost))
    for group in _split(connection, outermost):
        ids = listed(group.agent_trace_ids)
        about = {"agent_trace_ids": ids, "earliest": group.earliest, "latest": group.latest}
        connection.execute(statement("update_outcomes"), about)


def list_days(connection: duckdb.DuckDBPyConnection) -> list[Day]:
    """Return the days with runs."""
    cursor = connection.execute(report("days_with_runs"))
    names = [name for name, *_ in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def renew(connection: duckdb.DuckDBPyConnection, day: Day) -> None:
    """Compute and write the outcomes of all outermost runs of a day."""
    runs = connection.execute(statement("runs_of_day"), {"day": day["day"]}).fetchall()
    about = {"agent_trace_ids": listed(key for (key,) in runs), "earliest": day["earliest"], "latest": day["latest"]}
    connection.execute(statement("update_outcomes"), about)


def _find_outermost(connection: duckdb.DuckDBPyConnection, touched: Touched) -> pa.Table | None:
    """Return the rows of `trees_of_runs` for the outermost runs around the touched ones, None if there are none."""
    sought, known, parts = touched.agent_trace_ids, set[str](), []
    for earliest, latest in _list_periods(touched):
        if not sought:
            break
        asked = {"agent_trace_ids": listed(sought), "earliest": earliest, "latest": latest}
        found = read_table(connection, "trees_of_runs", asked)
        outermost = found.filter(pc.equal(found.column("agent_trace_id"), found.column("root_agent_trace_id")))
        parts.append(outermost)
        if outermost.num_rows == len(sought):  # as nearly always
            break
        known |= set(outermost.column("agent_trace_id").to_pylist())
        around = set(found.column("root_agent_trace_id").to_pylist())
        sought = (sought - set(found.column("agent_trace_id").to_pylist()) | around) - known
    return pa.concat_tables(parts) if parts else None


def _list_hours(outermost: pa.Table | None) -> set[datetime]:
    if outermost is None:
        return set()
    return set(pc.unique(pc.floor_temporal(outermost.column("started_at"), unit="hour")).to_pylist())


def _list_periods(touched: Touched) -> list[tuple[datetime | None, datetime | None]]:
    """Return the periods in which runs are looked for, the last twice: outermost runs may be known only after it."""
    near: list[tuple[datetime | None, datetime | None]] = []
    if touched.earliest is not None:
        near = [(touched.earliest - margin, touched.latest) for margin in _MARGINS]
    return [*near, (None, None), (None, None)]


def _split(connection: duckdb.DuckDBPyConnection, outermost: pa.Table | None) -> Iterator[_Group]:
    """Split outermost runs into groups that follow each other closely."""
    if outermost is None or not outermost.num_rows:
        return
    ids = outermost.column("agent_trace_id").to_pylist()
    former = _read_former_starts(connection, ids)
    earliest, latest = pc.min(outermost.column("earliest_at")).as_py(), pc.max(outermost.column("latest_at")).as_py()
    if not former and latest - earliest <= _GAP:
        yield _Group(ids, earliest, latest)
        return
    spans = sorted(
        (_time_span(row, former.get(row["agent_trace_id"].partition("-")[0], ())) for row in outermost.to_pylist()),
        key=lambda span: span.earliest,
    )
    begin = 0
    for end in (*_find_cuts(spans), len(spans)):
        members = spans[begin:end]
        yield _Group(
            [key for span in members for key in span.agent_trace_ids],
            members[0].earliest,
            max(span.latest for span in members),
        )
        begin = end


def _time_span(row: Mapping[str, Any], former: Collection[datetime]) -> _Group:
    times = (row["earliest_at"], row["latest_at"], *former)
    return _Group([row["agent_trace_id"]], min(times), max(times))


def _find_cuts(spans: Sequence[_Group]) -> list[int]:
    """Return before which of these runs, which are sorted, the longest gaps are."""
    latest = accumulate((span.latest for span in spans), max)
    gaps = [
        (span.earliest - before, index) for index, (before, span) in enumerate(zip(latest, spans[1:], strict=False), 1)
    ]
    longest = sorted((gap for gap in gaps if gap[0] > _GAP), reverse=True)[: _MOST_GROUPS - 1]
    return sorted(index for _, index in longest)


def _read_former_starts(
    connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]
) -> dict[str, tuple[datetime, datetime]]:
    """Return by trace the first and last former start of its runs; older scores have these times."""
    asked = {"agent_trace_ids": listed(agent_trace_ids)}
    rows = connection.execute(statement("former_starts_around_runs"), asked).fetchall()
    return {trace_id: (earliest, latest) for trace_id, earliest, latest in rows}
