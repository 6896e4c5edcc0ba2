"""Protocol of an open store, which each engine implements."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import IO, Protocol

import duckdb

from .readers import Readers

__all__ = ["Database", "StoredFile"]


class StoredFile(Protocol):
    """The content of a store as one DuckDB file, which does not change until the next checkpoint."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return up to `size_bytes` of the file from `offset` on; fewer at its end."""


class Database(Protocol):
    """An open store: migrated, fenced, in UTC.

    Every engine uses DuckDB for SQL: connections are DuckDB connections, on which any statement in `queries` can run.
    Engines differ in where the data is, which processes may open it, how it is made durable, and what errors mean; the
    methods here cover these differences. Any thread may call them unless stated otherwise. They raise the errors of
    `store.errors`.
    """

    readers: Readers
    """Executes SQL that users wrote."""

    @property
    def name(self) -> str:
        """The name of the store in messages."""

    def reinstall_definitions(self) -> None:
        """Replace the macros and views in the store by ours, since those in the store may be forged.

        To be called before our statements run. Takes some hundredths of a second, unless the store is new. Raises
        StoreUnavailable and closes the store if a macro has the name of a function of DuckDB, or a table that of a
        view.
        """

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Return a new connection for reading, to be used by one thread at a time.

        Waits while the store is being reopened; raises StoreUnavailable if that takes long.
        """

    def connect_writer(self) -> duckdb.DuckDBPyConnection:
        """Return a new connection that `interrupt` does not affect. Its owner closes it `before_reopening`.

        Raises StoreUnavailable at once if the store is not open.
        """

    def cursor(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Open a connection for reading within the context.

        Raises StoreInvalidated if the engine has invalidated its instance, and otherwise as `connect`.
        """

    def explain_errors(self) -> AbstractContextManager[None]:
        """Replace errors of the engine by StoreUnavailable, except those that a statement or its values caused."""

    def interrupt(self) -> None:
        """Interrupt all running queries, except those of writers."""

    def wait_until_open(self) -> None:
        """Wait until the store is open. Raises StoreUnavailable if that takes long."""

    def ensure_alive(self) -> None:
        """Raise StoreInvalidated if the engine has invalidated its instance, so that the store has to be reopened."""

    def before_reopening(self, let_go: Callable[[], object]) -> None:
        """Register a function to call before the store is reopened.

        It closes a connection that its owner keeps, or ends the reading of a `StoredFile`.
        """

    def reopen(self) -> None:
        """Open the store again after the engine has invalidated its instance. Nothing committed is lost.

        Earlier connections are closed or unusable afterwards. For one thread at a time. Raises StoreUnavailable; the
        store stays closed then, and the call may be repeated.
        """

    @property
    def wal_bytes(self) -> int:
        """The size of the write-ahead log, which a checkpoint merges into the store; 0 if there is none."""

    def checkpoint(self, *, wait_s: float) -> None:
        """Merge the write-ahead log into the store.

        Waits up to `wait_s` for readers in other processes, during which none can begin. Raises StoreBeingRead or
        StoreBeingWritten if it has to be tried again, and another StoreUnavailable if it failed; the store may have to
        be reopened then.
        """

    def free_bytes(self) -> int:
        """Return by how many bytes the store can grow, as far as this is known."""

    def is_writable(self) -> bool:
        """Return whether the store can be written to; a small file beside it is written as a test."""

    def stored_file(self) -> StoredFile:
        """Return the content of the store as one file, which can be read until the next checkpoint."""

    def open_scratch(self) -> IO[bytes]:
        """Open a temporary file without a name, on the disk of the store; it is removed when it is closed.

        Raises OSError.
        """

    def answer_quack(self) -> None:
        """Answer clients of Quack at the address with which the store was opened, until it is closed.

        Their queries run in this process, without limits of time, and are not interrupted. After an error of the engine
        the store cannot be reopened then: `reopen` raises StoreUnavailable.
        """

    def close(self) -> None:
        """Checkpoint and close the store."""
