"""Which engine keeps the store that a URL names. This is the only module that knows the engines by name."""

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
    """The place that a store URL or a path names. Raises StoreUnavailable for a scheme that no engine has."""
    if isinstance(store, Path):
        return FileLocation(store)
    if store.startswith(_FILE_SCHEME):
        return FileLocation(Path(store.removeprefix(_FILE_SCHEME)))
    if _SCHEME.match(store):
        raise StoreUnavailable(f"{store}: only duckdb:///FILE or a path can be opened by this version")
    return FileLocation(Path(store))


def open_in_memory(*, memory_limit: str | None = None) -> Database:
    """An empty store that ends with the process. Raises StoreUnavailable where DuckDB refuses the `memory_limit`."""
    return FileLocation(_IN_MEMORY).open(memory_limit=memory_limit)
