"""Reads spans and log records for assembly, and the traces that are not assembled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed, read_table
from ..engines.database import Database

__all__ = ["LARGEST_TRACE", "Unassembled", "sources", "unassembled"]


LARGEST_TRACE = {"most_spans": 25_000, "most_bytes": 64 * 2**20}
"""How much of one trace is assembled. The runs of a larger trace have the gap `too_large`."""


@dataclass(frozen=True, slots=True)
class Unassembled:
    """A trace in the store with arrivals that are not assembled, from the commit `first_seq` to `last_seq`.

    `records` is their number. `is_waiting`: the trace was assembled and was not complete, as is noted in the store.
    `service` is None if it is not recorded.
    """

    trace_id: str
    first_seq: int
    last_seq: int
    records: int = 0
    is_waiting: bool = False
    service: str | None = None


def sources(database: Database, trace_ids: Collection[str]) -> tuple[pa.Table, pa.Table]:
    """Return the spans and the log records of some traces; of a trace that is too large, its first spans."""
    parameters = {"trace_ids": listed(trace_ids)}
    with database.cursor() as connection:
        spans = read_table(connection, "spans_of_traces", {**parameters, **LARGEST_TRACE})
        logs = read_table(connection, "logs_of_traces", parameters)
    return spans, logs


def unassembled(database: Database, *, from_seq: int, limit: int) -> tuple[list[Unassembled], bool]:
    """Return about `limit` traces with unassembled arrivals since the commit `from_seq`, oldest first.

    The second value is whether there are no more. With `from_seq` 0, which is before the first commit, traces that wait
    are included. There may be more than `limit`, since the traces of one commit are returned together.
    """
    with database.cursor() as connection:
        found = connection.execute(statement("unassembled_traces"), {"from_seq": from_seq, "limit": limit}).fetchall()
    return [Unassembled(*columns) for _, *columns in found], len(found) == (found[0][0] if found else 0)
