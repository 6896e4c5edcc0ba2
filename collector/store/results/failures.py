"""Stores traces that could not be assembled. They stay open, and are retried after a pause that doubles."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

import duckdb

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed

__all__ = ["keep"]

_FIRST_PAUSE: Final = timedelta(seconds=10)
_LONGEST_PAUSE: Final = timedelta(hours=1)


def keep(
    connection: duckdb.DuckDBPyConnection, failed: Mapping[str, str], *, now: datetime, are_retried: bool
) -> dict[str, timedelta]:
    """Store traces that could not be assembled, with the cause of each; return the pause before the retry of each.

    Unless they `are_retried` by this process, the next start retries them.
    """
    traces = {"trace_ids": listed(failed)}
    before = dict(connection.execute(statement("failures_of_traces"), traces).fetchall())
    connection.execute(statement("delete_waiting_traces"), traces)
    pauses: dict[str, timedelta] = {}
    for trace_id, cause in failed.items():
        failures = before.get(trace_id, 0) + 1
        pauses[trace_id] = _pause(failures)
        about = {
            "trace_id": trace_id,
            "failures": failures,
            "cause": cause,
            "now": now,
            "retry_at": now + pauses[trace_id] if are_retried else None,
        }
        connection.execute(statement("insert_failed_trace"), about)
    return pauses


def _pause(failures: int) -> timedelta:
    """Return the pause after this number of failures."""
    doublings = min(failures - 1, 10)  # more would overflow, and the longest pause is reached before
    return min(_FIRST_PAUSE * (1 << doublings), _LONGEST_PAUSE)
