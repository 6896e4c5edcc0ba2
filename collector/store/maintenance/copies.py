"""Copies of a store that no process has open: of the file itself with its write-ahead log, folded into one file.

DuckDB locks its file with fcntl(2), so the same lock, taken here without DuckDB, keeps every process from writing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from tracegrade.queries import fence
from tracegrade.queries.catalog import report

from ...system.memory_limit import duckdb_limit
from ...system.private_file import created
from ..engines.database import Database, StoreFull, StoreLocked, StoreOutdated, StoreUnavailable
from ..engines.room import is_about_room

__all__ = ["Contents", "contents_of", "copied", "in_place", "locked", "logs_of", "put_aside"]

_LOGS: Final = (".wal", ".wal.checkpoint", ".wal.recovery")
_PIECE_BYTES: Final = 2**22


@dataclass(frozen=True, slots=True)
class Contents:
    """How much a store holds."""

    size_bytes: int
    spans: int
    runs: int
    scores: int


@contextmanager
def locked(path: Path, *, exclusively: bool = False) -> Iterator[int]:
    """A descriptor of the file, which no other process has open or can open meanwhile. Raises StoreLocked where one has
    it open, and StoreUnavailable where it cannot be opened. One that may only be read is not kept from other readers,
    unless it has to be held `exclusively`.

    This process must not open the file otherwise: closing it again would end the lock.
    """
    try:
        # A server weakens its lock at times, so that a shared one would say nothing of it.
        is_sole = exclusively or os.access(path, os.W_OK)
        descriptor = os.open(path, os.O_RDWR if is_sole else os.O_RDONLY)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be opened: {error.strerror}") from error
    try:
        try:
            fcntl.lockf(descriptor, (fcntl.LOCK_EX if is_sole else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreLocked(path, None) from error
        yield descriptor
    finally:
        os.close(descriptor)


def logs_of(path: Path) -> list[Path]:
    """The write-ahead logs beside a store that are not folded into it yet."""
    return [log for ending in _LOGS if (log := path.with_name(path.name + ending)).exists()]


def copied(source: Path, target: Path, *, memory_limit: str | None) -> None:
    """Writes a copy of `source`, which no process may write, with all that is in its write-ahead log, as one file.

    Raises StoreUnavailable.
    """
    try:
        with locked(source) as descriptor, created(target) as file:
            while piece := os.read(descriptor, _PIECE_BYTES):
                file.write(piece)
            for log in logs_of(source):
                copy = target.with_name(target.name + log.name.removeprefix(source.name))
                with log.open("rb") as written, created(copy) as twin:
                    shutil.copyfileobj(written, twin)
        if logs_of(target):
            _fold(target, memory_limit)
        _sync(target)
    except OSError as error:
        if is_about_room(error):
            raise StoreFull(target, error) from error
        raise StoreUnavailable(f"{source} cannot be copied to {target}: {error}") from error


def contents_of(path: Path, *, memory_limit: str | None) -> Contents | None:
    """What is in a store, which is opened for that; None where an earlier version wrote it, for it has to be migrated
    before it can be asked. Raises StoreUnavailable where it cannot be opened, or is not a store."""
    try:
        database = Database(path, memory_limit=memory_limit, read_only=True)
    except StoreOutdated:
        _ensure_store(path)
        return None
    try:
        with database.cursor() as connection:
            [(spans, runs, scores)] = connection.execute(report("store_contents")).fetchall()
    except duckdb.Error as error:
        raise StoreUnavailable(f"{path} cannot be read: {error}") from error
    finally:
        database.close()
    return Contents(path.stat().st_size, spans, runs, scores)


def put_aside(path: Path, aside: Path) -> None:
    """Gives a store with its write-ahead logs a second name, and takes the logs from the first: the file itself stays
    under it until another is put in its place. A log whose store is gone belongs to no other store either."""
    logs = logs_of(path)
    for log in logs:
        _name_twice(log, aside.with_name(aside.name + log.name.removeprefix(path.name)))
    if path.exists():
        _name_twice(path, aside)
    for log in logs:
        log.unlink()


def in_place(draft: Path, path: Path) -> None:
    """Moves a file that is complete to where it belongs, in one step that a crash cannot divide."""
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _name_twice(path: Path, other: Path) -> None:
    try:
        other.hardlink_to(path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        shutil.copy2(path, other)


def _fold(path: Path, memory_limit: str | None) -> None:
    limit = memory_limit or duckdb_limit()
    try:
        with duckdb.connect(str(path), config={**fence.SHUT, "memory_limit": limit}) as connection:
            connection.execute("checkpoint")
    except duckdb.Error as error:
        if is_about_room(error):
            raise StoreFull(path, error) from error
        raise StoreUnavailable(f"{path}: its write-ahead log cannot be read: {error}") from error


def _ensure_store(path: Path) -> None:
    """Raises StoreUnavailable where a DuckDB file has none of our tables: it is not a store of any version."""
    with duckdb.connect(str(path), read_only=True, config={**fence.SHUT}) as connection:
        tables = {row[0] for row in connection.execute("show tables").fetchall()}
    if "schema_history" not in tables:
        raise StoreUnavailable(f"{path} is a DuckDB file, but not a store of Tracegrade")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
