"""Transactions of a connection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb

__all__ = ["transaction"]


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Begin a transaction; commit it at the end, roll it back on an error."""
    connection.execute("begin")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        with suppress(duckdb.Error):  # the commit or the failed statement may have ended it, or the engine its instance
            connection.execute("rollback")
        raise
