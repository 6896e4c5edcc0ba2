"""Snapshots: the file of a store, read as it was at one moment while the store is written to.

DuckDB changes the file only when it checkpoints; between two checkpoints commits go into the write-ahead log. So the
store is checkpointed, and not again while the file is read: writing continues, no second copy is needed, and only one
piece of the file is in memory.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack

from ..engines.database import Database
from ..errors import StoreUnavailable
from .checkpoints import Checkpoints

__all__ = ["StoreSnapshot"]


class StoreSnapshot:
    """Implements `queries.ports.Snapshot`. Raises StoreUnavailable if the store cannot be checkpointed now."""

    def __init__(self, database: Database, checkpoints: Checkpoints) -> None:
        self._is_over = threading.Event()
        self._hold = ExitStack()
        self._hold.enter_context(checkpoints.held(self._is_over.set))
        try:
            self._file = database.stored_file()
            self.size_bytes = self._file.size_bytes
        except BaseException:
            self._hold.close()
            raise

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return a piece of the file, shorter at its end.

        Raises StoreUnavailable if the write-ahead log has grown too large meanwhile, or the store was reopened.
        """
        if self._is_over.is_set():
            raise StoreUnavailable(
                "the snapshot took too long: so much was written that the store has to be checkpointed, or it was "
                "opened again meanwhile; try again"
            )
        return self._file.read(offset, size_bytes)

    def close(self) -> None:
        """Allow checkpoints again."""
        self._hold.close()
