"""The only descriptor with which this process reads and locks the file of an open store, besides DuckDB's."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Descriptor", "OpenFile"]


class Descriptor:
    """A descriptor of the file at `path`, opened at the first `get`. For any thread.

    It must be closed only when the store is: closing any descriptor of a file releases all locks of the process on that
    file (fcntl(2)), including DuckDB's.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._number: int | None = None

    def get(self) -> int:
        """Return the number of the descriptor, the same until `close`."""
        with self._lock:
            if self._number is None:
                self._number = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            return self._number

    def close(self) -> None:
        """Close the descriptor if it is open. The next `get` opens another."""
        with self._lock:
            if self._number is not None:
                os.close(self._number)
            self._number = None


@dataclass(frozen=True, slots=True)
class OpenFile:
    """Implements `engines.database.StoredFile` by a descriptor."""

    descriptor: int
    size_bytes: int

    def read(self, offset: int, size_bytes: int) -> bytes:
        return os.pread(self.descriptor, min(size_bytes, self.size_bytes - offset), offset)
