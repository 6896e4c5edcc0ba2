"""Measures the free disk space of a store, and recognises errors of a full disk."""

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
    """Return whether an error of the operating system or of DuckDB means that a disk or a quota is full."""
    if isinstance(error, OSError) and error.errno in _FULL_NUMBERS:
        return True
    return _FULL.search(str(error)) is not None


def measure_free_space(path: Path) -> int:
    """Return the free bytes of the file system that `path` is on. Quotas are not considered."""
    system = os.statvfs(path.parent)
    return system.f_bavail * system.f_frsize


def find_write_error(path: Path) -> OSError | None:
    """Write a mebibyte beside `path` and remove it. Returns the error if that fails, else None.

    Quotas and read-only mounts do not show in the figures of the file system.
    """
    probe = path.with_name(f"{path.name}.{os.getpid()}.probe")
    try:
        try:
            with create_private_file(probe) as file:
                file.write(bytes(_ENOUGH_BYTES))
                file.flush()
                os.fsync(file.fileno())
        finally:
            probe.unlink(missing_ok=True)  # fails, too, if nothing can be written
    except OSError as error:
        return error
    return None
