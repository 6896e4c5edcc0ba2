"""Executes SQL that users wrote: queries, conditions and evaluators."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Protocol

import duckdb
import pyarrow as pa

from tracegrade.queries import fence
from tracegrade.queries.fence import Parameters
from tracegrade.queries.result import Result, Stream

__all__ = ["NO_TABLES", "InProcess", "Readers"]

NO_TABLES: Mapping[str, pa.Table] = MappingProxyType({})


class Readers(Protocol):
    """Executes queries through `queries.fence`.

    For any thread. `read` and `stream` block, and raise fence.SqlError and StoreUnavailable.
    """

    def read(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int,
        cancelled: threading.Event | None = None,
        tables: Mapping[str, pa.Table] = NO_TABLES,
    ) -> Result:
        """Execute a query as `fence.read` does; it may also read `tables`, by name."""

    def stream(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> AbstractContextManager[Stream]:
        """Execute a query as `fence.stream` does."""

    def stop(self) -> None:
        """Interrupt the running queries."""

    def hold(self) -> None:
        """Make new queries wait until the next checkpoint has succeeded, or `let_in` is called."""

    def let_in(self) -> None:
        """Allow queries to begin again."""

    @property
    def are_held(self) -> bool:
        """Whether new queries wait."""

    @property
    def have_read(self) -> bool:
        """Whether a query that replays the write-ahead log has begun since the last checkpoint."""

    def close(self) -> None:
        """Free all resources, which may end running queries."""


class InProcess:
    """Executes queries in this process, for commands that act for one user. They do not prevent checkpoints."""

    def __init__(self, connect: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self._connect = connect

    def read(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int,
        cancelled: threading.Event | None = None,
        tables: Mapping[str, pa.Table] = NO_TABLES,
    ) -> Result:
        def connect() -> duckdb.DuckDBPyConnection:
            connection = self._connect()
            for name, table in tables.items():
                connection.register(name, table)
            return connection

        return fence.read(
            connect, sql, parameters=parameters, timeout_s=timeout_s, max_rows=max_rows, cancelled=cancelled
        )

    def stream(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> AbstractContextManager[Stream]:
        return fence.stream(
            self._connect, sql, parameters=parameters, timeout_s=timeout_s, max_rows=max_rows, cancelled=cancelled
        )

    def stop(self) -> None:
        """Do nothing: the owner of the connections interrupts them."""

    def hold(self) -> None:
        """Do nothing: queries of this process do not prevent checkpoints."""

    def let_in(self) -> None:
        """Do nothing: queries never wait."""

    @property
    def are_held(self) -> bool:
        return False

    @property
    def have_read(self) -> bool:
        return False

    def close(self) -> None:
        """Do nothing: there are no resources."""
