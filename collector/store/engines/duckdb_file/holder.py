"""Finds the process that has locked a store, without DuckDB, which commands need not import if a server answers."""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import time
from pathlib import Path
from typing import Final

__all__ = ["find_holder"]

_LINUX: Final = struct.Struct("hhqqi")  # type, whence, start, length, process
_BSD: Final = struct.Struct("qqihh")  # start, length, process, type, whence

_LOOKS: Final = 10
_PAUSE_S: Final = 0.01


def find_holder(path: Path) -> int | None:
    """Return the PID of the other process that has a store open for writing; None if there is none, or it is unknown.

    Takes up to a tenth of a second: a server weakens its lock while a query opens the file, so the lock is read ten
    times. This process must not have the file open: closing it here would release its own lock.
    """
    for _ in range(_LOOKS):
        if (pid := _read_holder(path)) is not None:
            return pid
        time.sleep(_PAUSE_S)
    return None


def _read_holder(path: Path) -> int | None:
    """Return the PID of a process with a lock on the file that conflicts with a shared one."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if sys.platform == "linux":
            answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, _LINUX.pack(fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0))
            kind, _, _, _, pid = _LINUX.unpack(answer)
        else:
            answer = fcntl.fcntl(descriptor, fcntl.F_GETLK, _BSD.pack(0, 0, 0, fcntl.F_RDLCK, os.SEEK_SET))
            _, _, pid, kind, _ = _BSD.unpack(answer)
    except OSError:  # a file system without locks
        return None
    finally:
        os.close(descriptor)
    return None if kind == fcntl.F_UNLCK or pid <= 0 else pid
