"""Who answers what users write as SQL: in queries, in conditions, in evaluators."""

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
    """Answers through `queries.fence`. For any thread; blocks. Both methods raise fence.SqlError and
    StoreUnavailable."""

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
        """As `fence.read`, of a query that may also name `tables`."""

    def stream(
        self,
        sql: str,
        *,
        parameters: Parameters | None = None,
        timeout_s: float,
        max_rows: int | None = None,
        cancelled: threading.Event | None = None,
    ) -> AbstractContextManager[Stream]:
        """As `fence.stream`."""

    def stop(self) -> None:
        """Interrupts what is being answered."""

    def hold(self) -> None:
        """Lets no reader begin until the store was checkpointed, or `let_in` is called."""

    def let_in(self) -> None:
        """Lets readers begin again."""

    @property
    def are_held(self) -> bool:
        """Whether readers are held back."""

    @property
    def have_read(self) -> bool:
        """Whether a reader that replays the log has begun since the last checkpoint."""

    def close(self) -> None:
        """Ends what answering needs."""


class InProcess:
    """Answers in this process, whose memory and time are those of its user. No such reader is in the way of a
    checkpoint."""

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
        """Nothing: who closes the connections does that."""

    def hold(self) -> None:
        """Nothing."""

    def let_in(self) -> None:
        """Nothing."""

    @property
    def are_held(self) -> bool:
        return False

    @property
    def have_read(self) -> bool:
        return False

    def close(self) -> None:
        """There is nothing of its own."""
