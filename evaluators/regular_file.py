"""Opens files that may be pipes, devices or folders, which could wait or go on for ever."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

__all__ = ["open_regular_file"]


def open_regular_file(path: Path, *, follows_links: bool = True) -> BinaryIO:
    """Open a file for reading. Raises OSError, also for a folder, pipe or device.

    It is opened without waiting, since a pipe waits for a writer, and looked at once it is open: the name may change.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follows_links else os.O_NOFOLLOW)
    opened = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.fdopen(opened, "rb")
