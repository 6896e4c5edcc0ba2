"""One DuckDB file, owned by one process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from tracegrade.queries import catalog, fence

from .. import memory
from ..errors import Fault
from .arrow import use_system_memory

__all__ = ["Database", "StoreLocked", "StoreOutdated", "StoreUnavailable", "path_of"]

_SCHEME = "duckdb:///"
_CHECKPOINT_THRESHOLD = "256MB"


class StoreUnavailable(Fault):
    """The store cannot be opened; the message says what to do."""

    exit_code = 4


class StoreLocked(StoreUnavailable):
    """Another process holds the file."""

    def __init__(self, path: Path, pid: int | None) -> None:
        holder = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{path} is held by {holder}. DuckDB lets one process at a time open a file, even for reading: "
            f"ask the server that holds it (tracegrade sql finds it by itself), or stop {holder}."
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
    is.
    """

    def __init__(self, path: Path, *, memory_limit: str | None = None, read_only: bool = False) -> None:
        self.path = path
        use_system_memory()
        self._connection = _connect(path, memory_limit or memory.duckdb_limit(), read_only=read_only)
        try:
            self.applied = catalog.migrate(self._connection)
            fence.harden(self._connection)
        except catalog.CatalogError as error:
            self._connection.close()
            raise StoreUnavailable(f"{path}: {error}") from error
        except duckdb.InvalidInputException as error:
            self._connection.close()
            if not read_only:
                raise
            raise StoreOutdated(f"{path} was written by an earlier version: `tracegrade serve` migrates it") from error
        except BaseException:
            self._connection.close()
            raise

    def connect(self) -> duckdb.DuckDBPyConnection:
        """A further connection to the same instance, for one thread at a time."""
        return self._connection.cursor()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for one reading."""
        connection = self.connect()
        try:
            yield connection
        finally:
            connection.close()

    @property
    def wal_bytes(self) -> int:
        """Size of the write-ahead log, which a checkpoint folds into the file."""
        wal = self.path.with_name(self.path.name + ".wal")
        return wal.stat().st_size if wal.exists() else 0

    def close(self) -> None:
        """Checkpoints and lets go of the file."""
        self._connection.close()


def _connect(path: Path, memory_limit: str, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    if not path.parent.is_dir():
        raise StoreUnavailable(f"{path}: the folder {path.parent} does not exist; create it or name another --store")
    try:
        return duckdb.connect(
            str(path),
            read_only=read_only,
            config={
                "checkpoint_threshold": _CHECKPOINT_THRESHOLD,
                "max_temp_directory_size": "4GB",  # a careless query fills no disk
                "memory_limit": memory_limit,
                "storage_compatibility_version": "v1.0.0",  # any DuckDB since 1.0 opens the file
            },
        )
    except duckdb.IOException as error:
        if "lock" in str(error).lower():
            raise StoreLocked(path, _holder(str(error))) from error
        raise StoreUnavailable(f"{path} cannot be opened: {error}") from error
    except duckdb.Error as error:
        raise StoreUnavailable(f"{path} cannot be opened as a DuckDB file: {error}") from error


def _holder(message: str) -> int | None:
    found = re.search(r"PID (\d+)", message)
    return int(found.group(1)) if found else None
