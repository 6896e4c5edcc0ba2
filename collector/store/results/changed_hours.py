"""Marks the hours whose counts in `run_hours`, `score_hours` and `tool_hours` may be out of date."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import duckdb

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed

__all__ = ["mark", "mark_all", "to_hour"]


def to_hour(time: datetime) -> datetime:
    """Return the full hour before a time."""
    return time.replace(minute=0, second=0, microsecond=0)


def mark(connection: duckdb.DuckDBPyConnection, hours: Iterable[datetime]) -> None:
    """Mark these hours, in the transaction that changes something in them."""
    if texts := listed(hour.isoformat() for hour in hours):
        connection.execute(statement("insert_changed_hours"), {"hours": texts})


def mark_all(connection: duckdb.DuckDBPyConnection) -> None:
    """Mark all hours in which runs began or which are counted."""
    connection.execute(statement("insert_all_changed_hours"))
