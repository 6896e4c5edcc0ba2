"""Whether there is room on the disk of a store."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Final

from ...system.private_file import created

__all__ = ["can_write", "free_bytes", "is_about_room"]

_ENOUGH_BYTES: Final = 2**20
_NO_ROOM: Final = re.compile(r"no space left|quota exceeded|file too large", re.IGNORECASE)
_NO_ROOM_NUMBERS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_about_room(error: BaseException) -> bool:
    """Whether an error of the operating system or of DuckDB says that a disk is full."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM_NUMBERS:
        return True
    return _NO_ROOM.search(str(error)) is not None


def free_bytes(path: Path) -> int:
    """How much may be written beside `path`, as far as the file system says: quotas are not in it."""
    system = os.statvfs(path.parent)
    return system.f_bavail * system.f_frsize


def can_write(path: Path) -> OSError | None:
    """Why nothing of a mebibyte can be written beside `path`; None when it can. It is tried, since no figure of the
    file system tells of quotas and of disks that are mounted for reading only."""
    probe = path.with_name(f"{path.name}.{os.getpid()}.probe")
    try:
        try:
            with created(probe) as file:
                file.write(bytes(_ENOUGH_BYTES))
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)  # which fails, too, where nothing can be written
    except OSError as error:
        return error
    return None
