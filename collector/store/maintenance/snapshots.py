"""The file of a store that is written to, read as it was at one moment.

DuckDB changes the file only when it checkpoints; between two checkpoints what is committed goes into the write-ahead
log. So the file is checkpointed, and no further checkpoint is made while it is read: writing goes on, no second copy is
needed, and the memory is that of one piece.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack

from ..engines.database import Database
from ..errors import StoreUnavailable
from .checkpoints import Checkpoints

__all__ = ["StoreSnapshot"]


class StoreSnapshot:
    """Fulfils `queries.ports.Snapshot`. Raises StoreUnavailable where the store cannot be checkpointed now."""

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
        """A piece of the file. Raises StoreUnavailable once the write-ahead log has grown too large, or the store was
        opened again."""
        if self._is_over.is_set():
            raise StoreUnavailable(
                "the snapshot took too long: so much was written that the store has to be checkpointed, or it was "
                "opened again meanwhile; try again"
            )
        return self._file.read(offset, size_bytes)

    def close(self) -> None:
        """Lets the store be checkpointed again."""
        self._hold.close()
