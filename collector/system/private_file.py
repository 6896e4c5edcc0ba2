"""Files of a store: their user's alone, for they hold what agents were told, and never written through a link, which
somebody else may have put in their place."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from ..errors import Fault

__all__ = ["LinkInPlace", "created", "make_private", "move_in_place", "read_own"]

_MODE: Final = 0o600
_OTHERS: Final = 0o077


class LinkInPlace(Fault):
    """A link stands where a file is to be written."""

    exit_code = 4

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is a link, and nothing is written through one: name the file that it leads to")


def created(path: Path) -> BinaryIO:
    """A new file in the place of whatever is there, to be written. Raises OSError."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, _MODE), "wb")


def move_in_place(draft: Path, path: Path) -> None:
    """Moves a file that is complete to where it belongs, in one step that a crash cannot divide."""
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def make_private(paths: Iterable[Path]) -> None:
    """Takes the rights to these files from all others, and to every file that this process makes from now on: DuckDB
    begins logs whenever it likes. Raises LinkInPlace."""
    os.umask(_OTHERS)
    for path in paths:
        _take_rights(path)


def read_own(path: Path, *, limit_bytes: int, is_secret: bool = False) -> bytes | None:
    """What a file holds that this user wrote; None where there is none, or it is somebody else's, a link, or larger,
    or others have rights to it though it `is_secret`. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        is_own = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        is_shown = is_secret and found.st_mode & _OTHERS
        return file.read() if is_own and not is_shown and found.st_size <= limit_bytes else None


def _take_rights(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise LinkInPlace(path)
    if stat.S_ISREG(found.st_mode) and found.st_mode & _OTHERS and found.st_uid == os.geteuid():
        path.chmod(_MODE)
