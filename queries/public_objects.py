"""What users may rely on in SQL: tables, views and functions, each with its purpose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from .catalog import objects
from .sql_file import Kind, SqlFile

__all__ = ["FUNCTIONS", "Function", "list_functions", "list_relations"]

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
class Function:
    """A macro. One that is a `table` stands behind `from`."""

    name: str
    parameters: str
    purpose: str
    is_table: bool


@cache
def list_functions() -> tuple[Function, ...]:
    """Return the functions that users may rely on."""
    macros = {each.name: each for each in objects("macro")}
    return tuple(_describe(macros[name]) for name in FUNCTIONS)


@cache
def list_relations() -> Mapping[str, str]:
    """Return the purposes of the tables and views by name: those that are asked most first, then by name."""
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
