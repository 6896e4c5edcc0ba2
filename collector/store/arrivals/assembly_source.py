"""What the assembly reads."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed, read_table
from ..engines.database import Database

__all__ = ["LARGEST_TRACE", "Unassembled", "sources", "unassembled"]


LARGEST_TRACE = {"most_spans": 25_000, "most_bytes": 64 * 2**20}
"""How much of one trace is assembled: beyond, its runs have the gap `too_large`."""


@dataclass(frozen=True, slots=True)
class Unassembled:
    """A trace as the store knows it: from which commit to which there is something in it that no assembly has seen.

    `is_waiting`: an assembly saw it and it was not complete; the store remembers that by itself.
    """

    trace_id: str
    first_seq: int
    last_seq: int
    records: int = 0
    is_waiting: bool = False
    service: str | None = None


def sources(database: Database, trace_ids: Collection[str]) -> tuple[pa.Table, pa.Table]:
    """The spans and the log records of these traces; of a trace that is too large the first spans."""
    parameters = {"trace_ids": listed(trace_ids)}
    with database.cursor() as connection:
        spans = read_table(connection, "spans_of_traces", {**parameters, **LARGEST_TRACE})
        logs = read_table(connection, "logs_of_traces", parameters)
    return spans, logs


def unassembled(database: Database, *, from_seq: int, limit: int) -> tuple[list[Unassembled], bool]:
    """About `limit` traces of which something came since the commit `from_seq` that no assembly has seen, the oldest
    first, and whether these are all; since 0, which is before the first commit, also those that wait.

    What one commit brought comes together, so there may be more.
    """
    with database.cursor() as connection:
        found = connection.execute(statement("unassembled_traces"), {"from_seq": from_seq, "limit": limit}).fetchall()
    return [Unassembled(*columns) for _, *columns in found], len(found) == (found[0][0] if found else 0)
