"""The tables and views that a SELECT can read, with their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...catalog import report
from ...public_objects import list_relations
from ..visit import Visit

__all__ = ["Relation", "read_relations"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view, with its columns as (name, type)."""

    name: str
    purpose: str
    columns: Sequence[tuple[str, str]]


async def read_relations(visit: Visit) -> list[Relation]:
    """Return the tables and views that users may rely on: those that are asked most first, then by name."""
    by_name: dict[str, list[tuple[str, str]]] = {}
    for row in await visit.site.api.rows(report("columns_of_relations")):
        by_name.setdefault(row["relation"], []).append(_read_column(row))
    return [Relation(name, purpose, by_name.get(name, [])) for name, purpose in list_relations().items()]


def _read_column(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["name"], row["type"]
