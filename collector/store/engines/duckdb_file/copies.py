"""Copies of a store that no process has open: of the file itself with its write-ahead log, folded into one file.

DuckDB locks its file with fcntl(2), so the same lock, taken here without DuckDB, keeps every process from writing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import duckdb

from tracegrade.queries import fence

from ....system.memory_limit import duckdb_limit
from ....system.private_file import create_private_file, flush_to_disk, move_in_place
from ...errors import StoreFull, StoreLocked, StoreUnavailable
from .disk_space import is_disk_full

__all__ = ["copy_file", "lock_file", "replace_file"]

_LOGS: Final = (".wal", ".wal.checkpoint", ".wal.recovery")
_PIECE_BYTES: Final = 2**22


@contextmanager
def lock_file(path: Path, *, exclusively: bool = False) -> Iterator[int]:
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
            raise StoreLocked(path) from error
        yield descriptor
    finally:
        os.close(descriptor)


def copy_file(source: Path, target: Path, *, memory_limit: str | None) -> None:
    """Writes a copy of `source`, which no process may write, with all that is in its write-ahead log, as one file.

    Raises StoreUnavailable.
    """
    try:
        with lock_file(source) as descriptor, create_private_file(target) as file:
            while piece := os.read(descriptor, _PIECE_BYTES):
                file.write(piece)
            for log in _list_logs(source):
                copy = target.with_name(target.name + log.name.removeprefix(source.name))
                with log.open("rb") as written, create_private_file(copy) as twin:
                    shutil.copyfileobj(written, twin)
        if _list_logs(target):
            _fold_log(target, memory_limit)
        flush_to_disk(target)
    except OSError as error:
        if is_disk_full(error):
            raise StoreFull(target, error) from error
        raise StoreUnavailable(f"{source} cannot be copied to {target}: {error}") from error


def replace_file(path: Path, draft: Path) -> Path | None:
    """Moves a complete file to where the store is. Gives the name under which the former one is kept, with its logs;
    None where there was none. Raises StoreLocked where a process has it open."""
    aside = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    if not path.exists():
        _put_aside(path, aside)
        move_in_place(draft, path)
        return None
    with lock_file(path, exclusively=True):
        _put_aside(path, aside)
        move_in_place(draft, path)
    return aside


def _put_aside(path: Path, aside: Path) -> None:
    """Gives a store with its write-ahead logs a second name, and takes the logs from the first: the file itself stays
    under it until another is put in its place. A log whose store is gone belongs to no other store either."""
    logs = _list_logs(path)
    for log in logs:
        _name_twice(log, aside.with_name(aside.name + log.name.removeprefix(path.name)))
    if path.exists():
        _name_twice(path, aside)
    for log in logs:
        log.unlink()


def _list_logs(path: Path) -> list[Path]:
    """The write-ahead logs beside a store that are not folded into it yet."""
    return [log for ending in _LOGS if (log := path.with_name(path.name + ending)).exists()]


def _name_twice(path: Path, other: Path) -> None:
    try:
        other.hardlink_to(path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        shutil.copy2(path, other)


def _fold_log(path: Path, memory_limit: str | None) -> None:
    limit = memory_limit or duckdb_limit()
    try:
        with duckdb.connect(str(path), config={**fence.SHUT, "memory_limit": limit}) as connection:
            connection.execute("checkpoint")
    except duckdb.Error as error:
        if is_disk_full(error):
            raise StoreFull(path, error) from error
        raise StoreUnavailable(f"{path}: its write-ahead log cannot be read: {error}") from error
