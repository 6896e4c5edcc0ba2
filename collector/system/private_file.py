"""Writes and reads files that only their user can access: stores, logs and notes.

No file is written through a link, which another user may have put in its place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from ..errors import Fault

__all__ = ["LinkInPlace", "create_private_file", "flush_to_disk", "make_private", "move_in_place", "read_own"]

_MODE: Final = 0o600
_OTHERS: Final = 0o077


class LinkInPlace(Fault):
    """There is a link in the place of a file to be written."""

    exit_code = 4

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is a link, and nothing is written through one: name the file that it leads to")


def create_private_file(path: Path) -> BinaryIO:
    """Open a new file for writing, in place of an existing one. Raises OSError."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, _MODE), "wb")


def move_in_place(draft: Path, path: Path) -> None:
    """Move a complete file to its place, atomically even in a crash."""
    draft.replace(path)
    flush_to_disk(path.parent)


def flush_to_disk(path: Path) -> None:
    """Return when the content of a file or folder is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private(paths: Iterable[Path]) -> None:
    """Remove the rights of other users to these files, and to each file that this process creates from now on, since
    DuckDB creates logs at any time. Raises LinkInPlace."""
    os.umask(_OTHERS)
    for path in paths:
        _remove_rights(path)


def read_own(path: Path, *, limit_bytes: int, is_secret: bool = False) -> bytes | None:
    """Read a file of this user; None if it does not exist, is another user's, a link or too large, or if other users
    have rights to it though it `is_secret`. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        is_own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        is_exposed = is_secret and status.st_mode & _OTHERS
        return file.read() if is_own and not is_exposed and status.st_size <= limit_bytes else None


def _remove_rights(path: Path) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(status.st_mode):
        raise LinkInPlace(path)
    if stat.S_ISREG(status.st_mode) and status.st_mode & _OTHERS and status.st_uid == os.geteuid():
        path.chmod(_MODE)
