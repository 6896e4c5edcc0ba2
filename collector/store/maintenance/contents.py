"""Counts the contents of a store."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from tracegrade.queries.catalog import report

from ..engines.location import Location
from ..errors import StoreOutdated, StoreUnavailable

__all__ = ["Contents", "count_contents"]


@dataclass(frozen=True, slots=True)
class Contents:
    """The size of a store and its numbers of rows."""

    size_bytes: int
    spans: int
    runs: int
    scores: int


def count_contents(location: Location, *, memory_limit: str | None) -> Contents | None:
    """Open a store and count its contents; None if an earlier version wrote it, since it has to be migrated first.

    Raises StoreUnavailable if it cannot be opened, or is not a store.
    """
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
