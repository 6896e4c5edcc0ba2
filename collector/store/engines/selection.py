"""Selects the engine for a store URL. No other module refers to an engine by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import StoreUnavailable
from .duckdb_file.location import FileLocation

if TYPE_CHECKING:
    from .database import Database
    from .location import Location

__all__ = ["locate", "open_in_memory"]

_FILE_SCHEME: Final = "duckdb:///"
_SCHEME: Final = re.compile(r"^[a-z]+:")
_IN_MEMORY: Final = Path(":memory:")


def locate(store: str | Path) -> Location:
    """Return the location that a store URL or a path names. Raises StoreUnavailable for an unknown scheme."""
    if isinstance(store, Path):
        return FileLocation(store)
    if store.startswith(_FILE_SCHEME):
        return FileLocation(Path(store.removeprefix(_FILE_SCHEME)))
    if _SCHEME.match(store):
        raise StoreUnavailable(f"{store}: only duckdb:///FILE or a path can be opened by this version")
    return FileLocation(Path(store))


def open_in_memory(*, memory_limit: str | None = None) -> Database:
    """Open an empty store in memory. Raises StoreUnavailable if DuckDB refuses the `memory_limit`."""
    return FileLocation(_IN_MEMORY).open(memory_limit=memory_limit)
