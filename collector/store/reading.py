"""What the assembly reads."""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from tracegrade.queries.catalog import statement

from .arrow import listed
from .database import Database

__all__ = ["sources", "unassembled"]


def sources(database: Database, trace_ids: Collection[str]) -> tuple[pa.Table, pa.Table]:
    """Every span and every log record of these traces."""
    parameters = {"trace_ids": listed(trace_ids)}
    with database.cursor() as connection:
        spans = connection.execute(statement("spans_of_traces"), parameters).to_arrow_table()
        logs = connection.execute(statement("logs_of_traces"), parameters).to_arrow_table()
    return spans, logs


def unassembled(database: Database) -> list[tuple[str, int, int]]:
    """After a restart: (trace_id, first batch_seq, last batch_seq) of what is not assembled yet."""
    with database.cursor() as connection:
        found: list[tuple[str, int, int]] = connection.execute(statement("unassembled_traces")).fetchall()
    return found
