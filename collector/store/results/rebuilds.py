"""Rebuilds in the store: which traces they are about, how far they have come, and what they changed.

At most one is under way. Works within a transaction of its caller.
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
"""How much is assembled at once, while new spans wait."""


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A rebuild that has not ended, of the traces with a span that began at `since` (UTC) or later; None means of all.
    `done` of `traces` have had their turn."""

    rebuild_id: int
    since: datetime | None
    traces: int
    done: int


@dataclass(frozen=True, slots=True)
class Portion:
    """The traces whose turn is next. Of those that are `arriving` something came that no assembly has seen."""

    settled: Sequence[str] = ()
    arriving: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.settled) + len(self.arriving)


def begin(connection: duckdb.DuckDBPyConnection, since: datetime | None, *, now: datetime) -> None:
    """Notes that these traces are to be assembled again."""
    connection.execute(statement("insert_rebuild_traces"), {"since": since})
    connection.execute(statement("begin_rebuild"), {"since": since, "now": now})


def under_way(connection: duckdb.DuckDBPyConnection) -> UnderWay | None:
    """The rebuild that has not ended."""
    row = connection.execute(statement("current_rebuild")).fetchone()
    return None if row is None else UnderWay(*row)


def portion_after(connection: duckdb.DuckDBPyConnection, done: int) -> Portion:
    """The traces after the first `done` of the rebuild under way; an empty portion when these were all."""
    size = {"done": done, "limit": _TRACES, "most_spans": _SPANS}
    rows = connection.execute(statement("next_rebuild_traces"), size).fetchall()
    return Portion(
        settled=[trace_id for trace_id, is_arriving in rows if not is_arriving],
        arriving=[trace_id for trace_id, is_arriving in rows if is_arriving],
    )


def advance(connection: duckdb.DuckDBPyConnection, portion: Portion, *, failed: int, changes: Changes) -> None:
    """Notes that a portion has had its turn, and what came of it: in one transaction, so that a crash counts nothing
    twice."""
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
    """Notes that all traces have had their turn."""
    connection.execute(statement("end_rebuild"), {"now": now})
    connection.execute(statement("delete_rebuild_traces"))
