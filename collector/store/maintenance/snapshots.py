"""Snapshots: a copy of the file of a store as it was at one moment, while the store is written to.

DuckDB changes the file only when it checkpoints; between two checkpoints commits go into the write-ahead log. So the
store is checkpointed, and not again while the file is copied. Whoever reads the copy may take as long as he likes.
"""

from __future__ import annotations

import os
import threading
from typing import Final

from ..engines.database import Database
from ..errors import StoreFull, StoreUnavailable
from .checkpoints import Checkpoints

__all__ = ["StoreSnapshot"]

_PIECE_BYTES: Final = 8 * 2**20
_LEFT_BYTES: Final = 64 * 2**20
"""What has to be free on the disk beside the copy, for what arrives meanwhile."""


class StoreSnapshot:
    """Implements `queries.ports.Snapshot` by a file without a name beside the store.

    Raises StoreUnavailable if the store cannot be checkpointed now, or is reopened meanwhile, and StoreFull if the disk
    has no room for the copy.
    """

    def __init__(self, database: Database, checkpoints: Checkpoints) -> None:
        self._database = database
        self._copy = database.open_scratch()
        try:
            self.size_bytes = self._copy_store(checkpoints)
        except OSError as error:
            self._copy.close()
            raise StoreFull(database.name, error) from error
        except BaseException:
            self._copy.close()
            raise

    def read(self, offset: int, size_bytes: int) -> bytes:
        """Return a piece of the copy, shorter at its end."""
        return os.pread(self._copy.fileno(), size_bytes, offset)

    def close(self) -> None:
        """Remove the copy."""
        self._copy.close()

    def _copy_store(self, checkpoints: Checkpoints) -> int:
        """Copy the file of the store, and return its size in bytes."""
        is_over = threading.Event()
        with checkpoints.held(is_over.set):
            stored = self._database.stored_file()
            if self._database.free_bytes() < stored.size_bytes + _LEFT_BYTES:
                raise StoreFull(self._database.name, f"a snapshot needs {stored.size_bytes >> 20} MiB until it is sent")
            for offset in range(0, stored.size_bytes, _PIECE_BYTES):
                if is_over.is_set():
                    raise StoreUnavailable("the store was opened again while it was copied; try again")
                self._copy.write(stored.read(offset, _PIECE_BYTES))
            self._copy.flush()
            return stored.size_bytes
