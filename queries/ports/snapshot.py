"""Copies that are sent in pieces."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Snapshot"]


class Snapshot(Protocol):
    """A copy of the store as it was at one moment, or of an answer, read in pieces."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return a piece, shorter at the end; blocks."""
        ...

    def close(self) -> None:
        """Remove the copy. MUST be called."""
        ...
