"""The one descriptor by which this process reads and locks the file of an open store."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Descriptor", "OpenFile"]


class Descriptor:
    """The file at `path`, opened when it is first asked for. For any thread.

    It is closed with the store and at no other time: the first descriptor of a file that a process closes takes all
    locks of the process on that file with it (fcntl(2)), DuckDB's too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._number: int | None = None

    def get(self) -> int:
        """The number of the descriptor, the same until it is closed."""
        with self._lock:
            if self._number is None:
                self._number = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            return self._number

    def close(self) -> None:
        """Closes it, where it is open. It may be asked for again."""
        with self._lock:
            if self._number is not None:
                os.close(self._number)
            self._number = None


@dataclass(frozen=True, slots=True)
class OpenFile:
    """Fulfils `engines.database.StoredFile` by a descriptor."""

    descriptor: int
    size_bytes: int

    def read(self, offset: int, size_bytes: int) -> bytes:
        return os.pread(self.descriptor, min(size_bytes, self.size_bytes - offset), offset)
