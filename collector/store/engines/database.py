"""An open store, as the rest of the program sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

import duckdb

from .readers import Readers

__all__ = ["Database", "StoredFile"]


class StoredFile(Protocol):
    """The content of a store as one DuckDB file, which does not change until the next checkpoint."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size_bytes: int) -> bytes:
        """A piece of the file."""


class Database(Protocol):
    """An open store: migrated, fenced, in UTC.

    Every engine is DuckDB as seen from SQL: a connection is one of DuckDB's, and the store may run any of the
    statements in `queries` on it. Engines differ in where the data is, who may open it, how it is made durable, and
    which errors mean what. Those are the methods here. Methods may be called by any thread unless they say otherwise,
    and raise the errors of `store.errors`.
    """

    readers: Readers
    """Answers the SQL that users write."""

    @property
    def name(self) -> str:
        """How messages name the store."""

    def reinstall_definitions(self) -> None:
        """Puts our macros and views back in place of those that are stored, which may be forged.

        For programs that go on to run our statements: it takes some hundredths of a second, unless the store is new.
        Raises StoreUnavailable, with the store closed, where the store was made to deceive.
        """

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A further connection for reading, for one thread at a time. Waits while the store is opened again; raises
        StoreUnavailable where that takes long."""

    def connect_writer(self) -> duckdb.DuckDBPyConnection:
        """A connection that `interrupt` leaves alone. Its owner closes it `before_reopening`. Raises StoreUnavailable
        at once where the store is not open."""

    def cursor(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A connection for one reading. Raises StoreGivenUp where the engine has given its instance up."""

    def explain_errors(self) -> AbstractContextManager[None]:
        """Raises StoreUnavailable in place of the engine's errors that no statement or value is to blame for."""

    def interrupt(self) -> None:
        """Interrupts every query that is running, except those of writers."""

    def wait_until_open(self) -> None:
        """Returns once the store is open. Raises StoreUnavailable where that takes long."""

    def ensure_alive(self) -> None:
        """Raises StoreGivenUp once the engine has given its instance up: the store has to be reopened then."""

    def before_reopening(self, let_go: Callable[[], object]) -> None:
        """Calls `let_go` before the store is opened again: it closes a connection that its owner keeps, or ends the
        reading of a `StoredFile`."""

    def reopen(self) -> None:
        """Opens the store again after the engine has given its instance up. What was committed is there.

        Connections that were handed out are closed or of no use afterwards. For one thread at a time. Raises
        StoreUnavailable: the store stays closed then, and this may be tried again.
        """

    @property
    def wal_bytes(self) -> int:
        """The size of the write-ahead log, which a checkpoint folds into the store; 0 where there is none."""

    def checkpoint(self, *, wait_s: float) -> None:
        """Folds the log into the store. Waits so long for readers in other processes, while none begins.

        Raises StoreBeingRead and StoreBeingWritten where it has to be tried again, and any other StoreUnavailable
        where it fails: the store may have to be reopened then.
        """

    def free_bytes(self) -> int:
        """How much the store may grow, as far as can be known."""

    def is_writable(self) -> bool:
        """Whether something can be written beside what is stored. It is tried."""

    def stored_file(self) -> StoredFile:
        """What is stored, to be read as one file until the next checkpoint."""

    def close(self) -> None:
        """Checkpoints and lets go of the store."""
