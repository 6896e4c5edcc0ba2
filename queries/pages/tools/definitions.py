"""The definitions of a tool, each compared with the one before."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import orjson

from .findings import DefinitionScore, read_definition_score

__all__ = ["Definition", "Line", "list_definitions"]

_MOST_LINES: Final = 400
_CONTEXT: Final = 2


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a difference: `sign` is `+`, `-`, or a space."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A definition that runs were offered. Its `difference` is that to the definition with the number `before`: the
    newest earlier one of the same agent, else of any; None: it is the first."""

    number: int
    row: Mapping[str, Any]
    schema: str | None
    before: int | None
    difference: Sequence[Line]
    scores: Sequence[DefinitionScore]


def list_definitions(rows: Sequence[Mapping[str, Any]], scores: Iterable[Mapping[str, Any]]) -> list[Definition]:
    """Return the definitions of rows of `history_of_tool`, in their order: the newest first."""
    ordered = rows[::-1]
    by_hash: dict[str, list[DefinitionScore]] = {}
    for score in scores:
        by_hash.setdefault(score["definition_hash"], []).append(read_definition_score(score))
    return [_describe(ordered, at, by_hash) for at in reversed(range(len(ordered)))]


def _describe(
    ordered: Sequence[Mapping[str, Any]], at: int, scores: Mapping[str, Sequence[DefinitionScore]]
) -> Definition:
    row, before = ordered[at], _find_before(ordered, at)
    return Definition(
        number=at + 1,
        row=row,
        schema=_format_schema(row["input_schema"]),
        before=None if before is None else before + 1,
        difference=() if before is None else _compare(ordered[before], row),
        scores=scores.get(row["definition_hash"], ()),
    )


def _find_before(ordered: Sequence[Mapping[str, Any]], at: int) -> int | None:
    agents = set(ordered[at]["agents"])
    of_agent = [place for place in range(at) if agents & set(ordered[place]["agents"])]
    return max(of_agent, default=at - 1 if at else None)


def _compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Line]:
    former, present = _write(before), _write(after)
    lines = difflib.unified_diff(former[:_MOST_LINES], present[:_MOST_LINES], n=_CONTEXT, lineterm="")
    shown = [Line(line[0], line[1:]) for line in islice(lines, 2, None) if not line.startswith("@@")]
    if max(len(former), len(present)) > _MOST_LINES:
        shown.append(Line(" ", f"… lines after number {_MOST_LINES} are not compared"))
    return shown


def _write(row: Mapping[str, Any]) -> list[str]:
    description = row["description"] or "(no description)"
    return [*description.splitlines(), *(_format_schema(row["input_schema"]) or "(no schema)").splitlines()]


def _format_schema(schema: str | None) -> str | None:
    if schema is None:
        return None
    return orjson.dumps(orjson.loads(schema), option=orjson.OPT_INDENT_2).decode()
