"""An open DuckDB file, locked by this process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

import duckdb

from tracegrade.queries import catalog

from ....system.arrow_memory import use_system_memory
from ...errors import StoreBeingRead, StoreInvalidated, StoreLocked, StoreUnavailable, first_line
from ..location import QuackListener
from ..readers import InProcess, Readers
from .descriptor import Descriptor, OpenFile
from .disk_space import find_write_error, measure_free_space
from .errors import explain_checkpoint, explain_opening, explain_writing
from .file_lock import BeingRead, FileLock
from .isolated import Isolated
from .lent import LentConnections
from .opening import Opening
from .quack import begin_answering, end_answering

__all__ = ["DuckDbFile"]

_REOPEN_S: Final = 10.0
_POLL_S: Final = 0.02


class DuckDbFile:
    """Implements `engines.database.Database` by one DuckDB instance, which all connections share.

    The options are those of `engines.location.Location.open`.
    """

    def __init__(  # noqa: PLR0913 - the options of `Location.open`
        self,
        path: Path,
        *,
        memory_limit: str | None = None,
        read_only: bool = False,
        checkpoints_itself: bool = True,
        threads: int | None = None,
        query_bytes: int | None = None,
        quack: QuackListener | None = None,
    ) -> None:
        use_system_memory()
        self.path = path
        self._opening = Opening(
            path=path,
            memory_limit=memory_limit,
            read_only=read_only,
            checkpoints_itself=checkpoints_itself,
            threads=threads,
            has_quack=quack is not None,
        )
        self._quack = quack
        self._answers_quack = False
        self._lent = LentConnections()
        self._before_reopening: list[Callable[[], object]] = []
        self._is_open = threading.Event()
        self._descriptor = Descriptor(path)
        self._is_new = not path.exists()
        self._connection = self._opening.open()
        self._is_open.set()
        self._file_lock = FileLock(self._descriptor.get)
        self.readers: Readers = (
            InProcess(self.connect)
            if query_bytes is None
            else Isolated(path, memory_bytes=query_bytes, lock=self._file_lock, wait_until_open=self.wait_until_open)
        )

    @property
    def name(self) -> str:
        return str(self.path)

    def reinstall_definitions(self) -> None:
        if self._is_new:
            return
        try:
            catalog.reinstall(self._connection)
        except BaseException as error:
            self.close()
            raise explain_opening(self.path, error) from error

    def connect(self) -> duckdb.DuckDBPyConnection:
        self.wait_until_open()
        connection = self._connection.cursor()
        self._lent.add(connection)
        return connection

    def connect_writer(self) -> duckdb.DuckDBPyConnection:
        self.wait_until_open(0.0)
        return self._connection.cursor()

    def wait_until_open(self, timeout_s: float = _REOPEN_S) -> None:
        if not self._is_open.wait(timeout_s):
            raise StoreUnavailable(f"{self.path} is closed: it cannot be opened again yet; the server goes on trying")

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        connection = self.connect()
        try:
            yield connection
        except duckdb.FatalException as error:
            raise StoreInvalidated from error
        finally:
            connection.close()

    @contextmanager
    def explain_errors(self) -> Iterator[None]:
        try:
            yield
        except duckdb.Error as error:
            if (explained := explain_writing(self.path, error)) is None:
                raise
            raise explained from error

    def interrupt(self) -> None:
        self._lent.interrupt()

    def ensure_alive(self) -> None:
        with self.explain_errors(), closing(self.connect_writer()) as connection:
            connection.execute("select 1").fetchall()

    @property
    def wal_bytes(self) -> int:
        try:
            return self.path.with_name(f"{self.path.name}.wal").stat().st_size
        except FileNotFoundError:
            return 0

    def checkpoint(self, *, wait_s: float) -> None:
        try:
            with self._file_lock.alone(wait_s), closing(self.connect_writer()) as connection:
                connection.execute("checkpoint")
        except BeingRead as error:
            raise StoreBeingRead(f"{self.path} is being read; try again") from error
        except duckdb.Error as error:
            raise explain_checkpoint(self.path, error) from error

    def free_bytes(self) -> int:
        return measure_free_space(self.path)

    def is_writable(self) -> bool:
        return find_write_error(self.path) is None

    def stored_file(self) -> OpenFile:
        descriptor = self._descriptor.get()
        return OpenFile(descriptor, os.fstat(descriptor).st_size)

    def open_scratch(self) -> IO[bytes]:
        return TemporaryFile(dir=self.path.parent)

    def before_reopening(self, let_go: Callable[[], object]) -> None:
        self._before_reopening.append(let_go)

    def reopen(self) -> None:
        """Open the file again. DuckDB invalidates its instance when a checkpoint fails; commits are in the log."""
        self._is_open.clear()
        self.readers.stop()
        self.readers.let_in()
        self.interrupt()
        for let_go in self._before_reopening:
            let_go()
        self._end_quack()
        self._disconnect()
        self._connection = self._open_again()
        if self._answers_quack:
            self.answer_quack()
        self._is_open.set()

    def answer_quack(self) -> None:
        if self._quack is None:
            return
        begin_answering(self._connection.cursor(), self._quack)
        self._answers_quack = True

    def close(self) -> None:
        self.readers.close()
        with suppress(StoreUnavailable):  # it ends with this process
            self._end_quack()
        self._disconnect()

    def _end_quack(self) -> None:
        """Close the connections of clients, without which the instance stays open. Raises StoreUnavailable."""
        if self._quack is not None and self._answers_quack:
            end_answering(self._connection.cursor(), self._quack)

    def _disconnect(self) -> None:
        self._connection.close()
        self._descriptor.close()

    def _open_again(self) -> duckdb.DuckDBPyConnection:
        """Open the file, and retry for ten seconds while that is not possible yet.

        DuckDB returns the invalid instance as long as any connection to it is open, and a reader may have locked the
        file. Raises StoreUnavailable.
        """
        give_up_at = time.monotonic() + _REOPEN_S
        while True:
            try:
                return self._opening.open()
            except (duckdb.FatalException, duckdb.ConnectionException, StoreLocked) as error:
                if time.monotonic() >= give_up_at:
                    raise StoreUnavailable(f"{self.path} cannot be opened again: {first_line(error)}") from error
                self.readers.stop()  # a reader that was opening the file keeps its lock until it has ended
                self.interrupt()
                time.sleep(_POLL_S)
