"""The disk of a store: whether it is full, and whether it can be written."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import Final

from ....system.private_file import create_private_file

__all__ = ["find_write_error", "is_disk_full", "measure_free_space"]

_ENOUGH_BYTES: Final = 2**20
_FULL: Final = re.compile(r"no space left|quota exceeded|file too large", re.IGNORECASE)
_FULL_NUMBERS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_disk_full(error: BaseException) -> bool:
    """Whether an error of the operating system or of DuckDB says that a disk is full."""
    if isinstance(error, OSError) and error.errno in _FULL_NUMBERS:
        return True
    return _FULL.search(str(error)) is not None


def measure_free_space(path: Path) -> int:
    """The bytes that may be written beside `path`, as far as the file system says: it does not count quotas."""
    system = os.statvfs(path.parent)
    return system.f_bavail * system.f_frsize


def find_write_error(path: Path) -> OSError | None:
    """The error with which a mebibyte cannot be written beside `path`; None when it can. It is tried, since no figure
    of the file system tells of quotas and of disks that are mounted for reading only."""
    probe = path.with_name(f"{path.name}.{os.getpid()}.probe")
    try:
        try:
            with create_private_file(probe) as file:
                file.write(bytes(_ENOUGH_BYTES))
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)  # which fails, too, where nothing can be written
    except OSError as error:
        return error
    return None
