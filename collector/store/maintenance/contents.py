"""What a store holds, counted."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from tracegrade.queries.catalog import report

from ..engines.location import Location
from ..errors import StoreOutdated, StoreUnavailable

__all__ = ["Contents", "count_contents"]


@dataclass(frozen=True, slots=True)
class Contents:
    """How much a store holds."""

    size_bytes: int
    spans: int
    runs: int
    scores: int


def count_contents(location: Location, *, memory_limit: str | None) -> Contents | None:
    """What is in a store, which is opened for that; None where an earlier version wrote it, for it has to be migrated
    before it can be asked. Raises StoreUnavailable where it cannot be opened, or is not a store."""
    try:
        database = location.open(memory_limit=memory_limit, read_only=True)
    except StoreOutdated:
        location.ensure_store()
        return None
    try:
        with database.cursor() as connection:
            [(spans, runs, scores)] = connection.execute(report("store_contents")).fetchall()
    except duckdb.Error as error:
        raise StoreUnavailable(f"{location.name} cannot be read: {error}") from error
    finally:
        database.close()
    return Contents(location.size_bytes(), spans, runs, scores)
