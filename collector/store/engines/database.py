"""One DuckDB file, owned by one process."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from weakref import WeakSet

import duckdb

from tracegrade.queries import catalog, fence
from tracegrade.queries.ports import Unavailable

from ...errors import Fault
from ...system.memory_limit import duckdb_limit
from ...system.private_file import LinkInPlace, make_private
from .arrow import use_system_memory
from .file_lock import FileLock
from .isolated import Isolated
from .readers import InProcess, Readers
from .room import is_about_room

__all__ = ["Database", "StoreFull", "StoreGivenUp", "StoreLocked", "StoreOutdated", "StoreUnavailable", "path_of"]

_SCHEME = "duckdb:///"
_CHECKPOINT_THRESHOLD = "256MB"
_NEVER: Final = "1TB"
_BESIDE: Final = ("", ".wal", ".wal.checkpoint", ".wal.recovery", ".tmp")
"""The ends of the names under which DuckDB writes."""

_REOPEN_S: Final = 10.0
_POLL_S: Final = 0.02


class StoreUnavailable(Fault, Unavailable):
    """The store cannot be opened; the message says what to do."""

    exit_code = 4


class StoreFull(StoreUnavailable):
    """There is no room on the disk of the store; it can be opened once there is."""

    def __init__(self, path: Path, error: object) -> None:
        super().__init__(
            f"{path}: there is no room on the disk. Free some, or name a --store on another disk ({_first_line(error)})"
        )


class StoreGivenUp(StoreUnavailable):
    """DuckDB has given the instance up; whoever looks after the store opens it again."""

    def __init__(self) -> None:
        super().__init__("the store has to be opened again, which the server does by itself; try again")


class StoreLocked(StoreUnavailable):
    """Another process holds the file."""

    def __init__(self, path: Path, pid: int | None) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{path} is held by {holder}. DuckDB lets one process at a time open a file, even for reading: "
            f"ask the server that holds it (commands of the user who started it find it by themselves, others with "
            f"--server), or stop {holder}."
        )
        self.path = path
        self.pid = pid


def path_of(url: str) -> Path:
    """The file that a store URL or path names. Raises StoreUnavailable for schemes that need an extra."""
    if url.startswith(_SCHEME):
        return Path(url.removeprefix(_SCHEME))
    if re.match(r"^[a-z]+:", url):
        raise StoreUnavailable(f"{url}: only duckdb:///FILE or a path can be opened by this version")
    return Path(url)


class StoreOutdated(StoreUnavailable):
    """The file cannot be opened only for reading, because an earlier version wrote it: it has to be migrated first."""


class Database:
    """An open store: migrated, fenced, in UTC. Hands out connections to the one DuckDB instance.

    With `read_only` nothing can change the file, and other processes may read it at the same time; raises
    StoreOutdated where it would have to be migrated. Without a `memory_limit` DuckDB gets its share of the memory there
    is. What users write as SQL is for `readers`: this process, or with `query_bytes`, the memory that DuckDB may use
    for one query, a process for each. With `checkpoints_itself=False` DuckDB checkpoints only when it is told to and
    when the store is closed. Without `threads` it has as many as there are cores.
    """

    def __init__(
        self,
        path: Path,
        *,
        memory_limit: str | None = None,
        read_only: bool = False,
        checkpoints_itself: bool = True,
        threads: int | None = None,
        query_bytes: int | None = None,
    ) -> None:
        use_system_memory()
        self.path = path
        self._memory_limit = memory_limit or duckdb_limit()
        self._read_only = read_only
        self._threads = {} if threads is None else {"threads": threads}
        self._threshold = _CHECKPOINT_THRESHOLD if checkpoints_itself else _NEVER
        self._lent: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()
        self._lending = threading.Lock()
        self._before_reopening: list[Callable[[], object]] = []
        self._is_open = threading.Event()
        self._descriptor: int | None = None
        self.applied: list[str] = []
        self._is_new = not path.exists()
        self._connection = self._opened()
        self._is_open.set()
        self.file_lock = FileLock(self.descriptor)
        self.readers: Readers = (
            InProcess(self.connect)
            if query_bytes is None
            else Isolated(path, memory_bytes=query_bytes, lock=self.file_lock, wait_until_open=self.wait_until_open)
        )

    def distrust(self) -> None:
        """Puts our macros and views back in place of those in the file, which somebody may have put there to never end.

        For who goes on to run our statements: it takes some hundredths of a second, unless we have just made the file.
        Raises StoreUnavailable, with the store closed, where the file was made to deceive.
        """
        if self._is_new:
            return
        try:
            catalog.reinstall(self._connection)
        except BaseException as error:
            self.close()
            raise self._explained(error) from error

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A further connection to the same instance, for reading, for one thread at a time. While the store is opened
        again, waits for it; raises StoreUnavailable where that takes long."""
        self.wait_until_open()
        connection = self._connection.cursor()
        with self._lending:
            self._lent.add(connection)
        return connection

    def connect_writer(self) -> duckdb.DuckDBPyConnection:
        """A connection that `interrupt` leaves alone. Its owner closes it `before_reopening`. Raises StoreUnavailable
        at once where the store is not open."""
        self.wait_until_open(0.0)
        return self._connection.cursor()

    def wait_until_open(self, timeout_s: float = _REOPEN_S) -> None:
        """Returns once the store is open. Raises StoreUnavailable where that takes long."""
        if not self._is_open.wait(timeout_s):
            raise StoreUnavailable(f"{self.path} is closed: it cannot be opened again yet; the server goes on trying")

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for one reading. Raises StoreUnavailable where DuckDB has given the store up."""
        connection = self.connect()
        try:
            yield connection
        except duckdb.FatalException as error:
            raise StoreGivenUp from error
        finally:
            connection.close()

    @property
    def wal_bytes(self) -> int:
        """Size of the write-ahead log, which a checkpoint folds into the file."""
        wal = self.path.with_name(self.path.name + ".wal")
        try:
            return wal.stat().st_size
        except FileNotFoundError:
            return 0

    def ensure_alive(self) -> None:
        """Raises duckdb.FatalException once DuckDB has given the instance up: it has to be reopened then."""
        with closing(self.connect_writer()) as connection:
            connection.execute("select 1").fetchall()

    def before_reopening(self, let_go: Callable[[], object]) -> None:
        """Calls `let_go` before the store is opened again: it closes a connection that its owner keeps, or ends the
        reading of the `descriptor`, which is closed then."""
        self._before_reopening.append(let_go)

    def reopen(self) -> None:
        """Opens the file again after DuckDB has given up the instance, as it does when a checkpoint fails. What was
        committed is in the write-ahead log.

        Connections that were handed out are closed or of no use afterwards. For one thread at a time. Raises
        StoreUnavailable: the store stays closed then, and this may be tried again.
        """
        self._is_open.clear()
        self.readers.stop()
        self.file_lock.let_in()
        self.interrupt()
        for let_go in self._before_reopening:
            let_go()
        self._disconnect()
        self._connection = self._opened_afresh()
        self._is_open.set()

    def interrupt(self) -> None:
        """Breaks off every query that is running, except those of writers. For any thread."""
        with self._lending:
            lent = list(self._lent)
        for connection in lent:
            try:
                connection.interrupt()
            except duckdb.Error:
                continue  # it is closed

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Raises StoreFull instead of DuckDB's error where a write finds no room on the disk."""
        try:
            yield
        except duckdb.Error as error:
            raise self._explained(error) from error

    def close(self) -> None:
        """Checkpoints and lets go of the file."""
        self.readers.close()
        self._disconnect()

    def descriptor(self) -> int:
        """The file, opened. It is closed with the store and by nobody else: the first descriptor of a file
        that a process closes takes all locks of the process on that file with it (fcntl(2)), DuckDB's too."""
        with self._lending:
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            return self._descriptor

    def _disconnect(self) -> None:
        self._connection.close()
        with self._lending:
            if self._descriptor is not None:
                os.close(self._descriptor)
            self._descriptor = None

    def _opened(self) -> duckdb.DuckDBPyConnection:
        connection = self._connected()
        try:
            fence.harden(connection)
            self.applied = catalog.migrate(connection)
        except BaseException as error:
            connection.close()
            raise self._explained(error) from error
        return connection

    def _opened_afresh(self) -> duckdb.DuckDBPyConnection:
        """DuckDB gives the former instance, which is of no use, as long as any connection to it is open; and a reader
        may have locked the file."""
        give_up_at = time.monotonic() + _REOPEN_S
        while True:
            try:
                return self._opened()
            except (duckdb.FatalException, duckdb.ConnectionException, StoreLocked) as error:
                if time.monotonic() >= give_up_at:
                    raise StoreUnavailable(f"{self.path} cannot be opened again: {_first_line(error)}") from error
                self.readers.stop()  # one that was opening the file has it locked until it is gone
                self.interrupt()
                time.sleep(_POLL_S)

    def _explained(self, error: BaseException) -> BaseException:
        """What is raised instead of `error`, where a person has to act."""
        if isinstance(error, catalog.CatalogError):
            return StoreUnavailable(f"{self.path}: {error}")
        if isinstance(error, duckdb.InvalidInputException) and self._read_only:
            return StoreOutdated(f"{self.path} was written by an earlier version: `tracegrade serve` migrates it")
        if isinstance(error, duckdb.Error) and is_about_room(error):
            return StoreFull(self.path, error)
        return error

    def _connected(self) -> duckdb.DuckDBPyConnection:
        path = self.path
        if not path.parent.is_dir():
            raise StoreUnavailable(
                f"{path}: the folder {path.parent} does not exist; create it or name another --store"
            )
        if not self._read_only:
            _keep_private(path)
        try:
            return duckdb.connect(
                str(path),
                read_only=self._read_only,
                config={
                    **fence.SHUT,
                    "checkpoint_threshold": self._threshold,
                    "max_temp_directory_size": "4GB",  # a careless query fills no disk
                    "memory_limit": self._memory_limit,
                    "storage_compatibility_version": "v1.0.0",  # any DuckDB since 1.0 opens the file
                    **self._threads,
                },
            )
        except duckdb.IOException as error:
            if "lock" in str(error).lower():
                raise StoreLocked(path, _holder(str(error))) from error
            if is_about_room(error):
                raise StoreFull(path, error) from error
            raise StoreUnavailable(f"{path} cannot be opened: {error}") from error
        except (duckdb.FatalException, duckdb.ConnectionException):
            raise  # what is left of an instance in this process
        except duckdb.Error as error:
            raise StoreUnavailable(f"{path} cannot be opened as a DuckDB file: {error}") from error


def _keep_private(path: Path) -> None:
    """Raises StoreUnavailable where a link would lead what is written elsewhere."""
    try:
        make_private(path.with_name(path.name + end) for end in _BESIDE)
    except LinkInPlace as link:
        raise StoreUnavailable(str(link)) from link


def _holder(message: str) -> int | None:
    found = re.search(r"PID (\d+)", message)
    return int(found.group(1)) if found else None


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0]
