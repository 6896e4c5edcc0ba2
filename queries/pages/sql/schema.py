"""What a SELECT can read: tables, views and functions, with their columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from ...catalog import objects, report
from ...sql_file import Kind, SqlFile
from ..visit import Visit

__all__ = ["FUNCTIONS", "Function", "Relation", "list_functions", "read_relations"]

FUNCTIONS: Final = (
    "since",
    "arg",
    "attr",
    "resource_attr",
    "wilson",
    "few",
    "difference_of_shares",
    "difference_of_means",
    "error_class",
    "error_pattern",
    "pattern_id",
    "selected_runs",
    "run_scores",
    "labelling_queue",
    "run_hours_between",
    "score_hours_between",
    "tool_hours_between",
)
"""The macros that users may rely on; all others are internal."""

_FIRST: Final = ("runs", "latest_scores", "tool_calls", "failures", "tools", "sessions")
_PARAMETERS: Final = re.compile(r"\bmacro \w+\s*\(([^)]*)\)")


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view, with its columns as (name, type)."""

    name: str
    purpose: str
    columns: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Function:
    """A macro. One that is a `table` stands behind `from`."""

    name: str
    parameters: str
    purpose: str
    is_table: bool


async def read_relations(visit: Visit) -> list[Relation]:
    """Return the tables and views that users may rely on: those that are asked most first, then by name."""
    by_name: dict[str, list[tuple[str, str]]] = {}
    for row in await visit.site.api.rows(report("columns_of_relations")):
        by_name.setdefault(row["relation"], []).append(_read_column(row))
    return [Relation(name, purpose, by_name.get(name, [])) for name, purpose in _list_purposes().items()]


@cache
def list_functions() -> tuple[Function, ...]:
    """Return the functions that users may rely on."""
    macros = {each.name: each for each in objects("macro")}
    return tuple(_describe(macros[name]) for name in FUNCTIONS)


@cache
def _list_purposes() -> Mapping[str, str]:
    kinds: tuple[tuple[Kind, str], ...] = (("schema", "table"), ("view", "view"))
    found = {
        file.header[key]: file.header["purpose"]
        for kind, key in kinds
        for file in objects(kind)
        if key in file.header and not file.header["purpose"].startswith("internal")
    }
    return {name: found[name] for name in (*_FIRST, *sorted(found.keys() - set(_FIRST)))}


def _describe(file: SqlFile) -> Function:
    match = _PARAMETERS.search(file.text)
    parameters = ", ".join(name.strip().rstrip("_") for name in match[1].split(",")) if match else ""
    return Function(file.name, parameters, file.header["purpose"], is_table=" as table" in file.text)


def _read_column(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["name"], row["type"]
