"""Rebuilds in the store: their traces, progress and changes. At most one is under way.

All functions run in a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import duckdb

from tracegrade.queries.catalog import statement

from .changes import Changes

__all__ = ["Portion", "UnderWay", "advance", "begin", "end", "portion_after", "under_way"]

_TRACES: Final = 200
_SPANS: Final = 25_000
"""The size of a portion: new spans wait while it is assembled."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A rebuild that has not ended, of the traces with a span that began at `since` (UTC) or later; None: of all.

    `done` of its `traces` are processed.
    """

    rebuild_id: int
    since: datetime | None
    traces: int
    done: int


@dataclass(frozen=True, slots=True)
class Portion:
    """The next traces of a rebuild. Those in `arriving` have arrivals that are not assembled yet, or wait for more."""

    settled: Sequence[str] = ()
    arriving: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.settled) + len(self.arriving)


def begin(connection: duckdb.DuckDBPyConnection, since: datetime | None, *, now: datetime) -> None:
    """Insert a rebuild and its traces."""
    connection.execute(statement("insert_rebuild_traces"), {"since": since})
    connection.execute(statement("begin_rebuild"), {"since": since, "now": now})


def under_way(connection: duckdb.DuckDBPyConnection) -> UnderWay | None:
    """Return the rebuild that has not ended; None if there is none."""
    row = connection.execute(statement("current_rebuild")).fetchone()
    return None if row is None else UnderWay(*row)


def portion_after(connection: duckdb.DuckDBPyConnection, done: int) -> Portion:
    """Return the traces after the first `done` of the rebuild under way; an empty portion if there are no more."""
    size = {"done": done, "limit": _TRACES, "most_spans": _SPANS}
    rows = connection.execute(statement("next_rebuild_traces"), size).fetchall()
    return Portion(
        settled=[trace_id for trace_id, is_arriving in rows if not is_arriving],
        arriving=[trace_id for trace_id, is_arriving in rows if is_arriving],
    )


def advance(connection: duckdb.DuckDBPyConnection, portion: Portion, *, failed: int, changes: Changes) -> None:
    """Record that a portion is processed, and add its changes to the counts of the rebuild.

    `failed` is the number of traces that could not be assembled. The caller writes the rows in the same transaction, so
    that a crash counts nothing twice.
    """
    counts = {
        "done": len(portion),
        "arriving": len(portion.arriving),
        "deferred": len(changes.postponed),
        "failed": failed,
        "same_runs": len(changes.same),
        "changed_runs": len(changes.changed),
        "new_runs": len(changes.new),
        "vanished_runs": len(changes.gone),
    }
    connection.execute(statement("advance_rebuild"), counts)


def end(connection: duckdb.DuckDBPyConnection, *, now: datetime) -> None:
    """Record the end of the rebuild, and delete its traces."""
    connection.execute(statement("end_rebuild"), {"now": now})
    connection.execute(statement("delete_rebuild_traces"))
