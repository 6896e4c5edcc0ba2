"""Snapshots of the store."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Snapshot"]


class Snapshot(Protocol):
    """The file of the store as it was at one moment, read in pieces. It does not change until it is closed."""

    size_bytes: int

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return a piece; blocks. Raises Unavailable if it can no longer be read; earlier pieces are then useless."""
        ...

    def close(self) -> None:
        """Release the file. MUST be called: until then the write-ahead log grows."""
        ...
