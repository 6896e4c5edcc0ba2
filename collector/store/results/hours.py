"""Counts runs, scores and tool calls by hour, for questions over long periods.

The macros `run_hours_of`, `score_hours_of` and `tool_hours_of` are the only definition; the tables are a copy of what
they count. A transaction that changes anything in an hour marks it in `changed_hours`. Readers use
`run_hours_between` and so on, which count marked hours at that moment. So they are always right, and the copies may be
renewed at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import pyarrow as pa

from tracegrade.queries.catalog import statement

from ...clock import utc_now
from ..engines.arrow import read_table, registered
from ..engines.database import Database
from .writer import Results

__all__ = ["Hours"]

_HOUR: Final = timedelta(hours=1)

_SETTLED_AFTER: Final = timedelta(minutes=5)
"""How long after its end an hour is stored: until then, it would change again and again."""

_LONGEST: Final = timedelta(days=1)
"""How long a time is counted at once, with the hours in it that have not changed."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """What the hours from `since` until `until` counted before the first change after `change`."""

    since: datetime
    until: datetime
    change: int
    tables: dict[str, pa.Table]


class Hours:
    """Renews the counts of hours that have changed. One thread at a time."""

    def __init__(self, database: Database, results: Results, *, now: Callable[[], datetime] | None = None) -> None:
        self._database = database
        self._results = results
        self._now = now or utc_now
        self._counted_from: datetime | None = None

    def renew(self) -> bool:
        """Renew the counts of some changed hours that are over; return False if the next call begins anew.

        Calls go from the newest changed hour to the oldest, so that an hour that keeps changing holds up no other.
        """
        counts = self._count()
        self._counted_from = None if counts is None else counts.since
        if counts is None:
            return False
        self._store(counts)
        return True

    def renew_all(self) -> None:
        """Renew the counts of all hours that have changed and are over."""
        while self.renew():
            pass

    def _count(self) -> _Counts | None:
        """Count some changed hours, without keeping others from writing meanwhile."""
        before = (self._counted_from or self._now() - _SETTLED_AFTER) - _HOUR
        with self._database.cursor() as connection:
            connection.execute("begin")  # what follows sees one state of the store
            rows: list[tuple[datetime, int]] = connection.execute(
                statement("hours_to_count"), {"before": before}
            ).fetchall()
            if not rows:
                return None
            since, until = _choose_stretch([hour for hour, _ in rows])
            about: dict[str, Any] = {"since": since, "until": until}
            runs = read_table(connection, "counted_run_hours", about)
            ((earliest, latest),) = connection.execute(statement("reach_of_hours"), about).fetchall()
            about |= {"earliest": earliest, "latest": latest}
            scores = read_table(connection, "counted_score_hours", about)
            calls = read_table(connection, "counted_tool_hours", about)
        tables = {"run_hours": runs, "score_hours": scores, "tool_hours": calls}
        return _Counts(since, until, max(change for _, change in rows), tables)

    def _store(self, counts: _Counts) -> None:
        """Replace the stored counts. Hours that have changed since they were counted stay marked."""
        about = {"since": counts.since, "until": counts.until}
        with self._results.transaction() as connection:
            for name, rows in counts.tables.items():
                connection.execute(statement(f"delete_{name}"), about)
                with registered(connection, f"counted_{name}", rows):
                    connection.execute(statement(f"insert_{name}"))
            connection.execute(statement("delete_changed_hours"), {**about, "change": counts.change})


def _choose_stretch(hours: Sequence[datetime]) -> tuple[datetime, datetime]:
    """Return the beginning and the end of the newest hours that lie near each other; `hours` begins with the newest."""
    end = hours[0] + _HOUR
    return min(hour for hour in hours if end - hour <= _LONGEST), end
