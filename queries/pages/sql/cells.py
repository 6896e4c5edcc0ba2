"""The rows of a result as cells: formatted by the names of their columns, with links to the pages of what they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...number_text import format_rows
from ...result import Column, Result, as_text, plain_rows
from ..links import Links

__all__ = ["Cell", "ResultTable", "make_table"]

_LONG: Final = 240
_LONGEST: Final = 4_000
_MOST_CHARACTERS: Final = 80_000
_BESIDE_A_CELL: Final = 14
"""The characters of the markup of a cell."""

_PAGES: Final[Mapping[str, str]] = {
    "agent_trace_id": "runs",
    "session_id": "sessions",
    "evaluator": "evaluators",
    "tool": "tools",
    "fault_tool": "tools",
    "dataset": "datasets",
    "experiment_id": "experiments",
}
"""The page of what a column names; those of runs may have a word before."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as text; None is null. `exact` is the value if the text is rounded; a long text has a `beginning`."""

    text: str | None
    is_number: bool = False
    exact: str | None = None
    link: str | None = None
    beginning: str | None = None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The first rows of a result, as many as fit on a page."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def make_table(result: Result, links: Links) -> ResultTable:
    """Return the rows of a result; rows that would make the page too large are left out."""
    names = [column.name for column in result.columns]
    plain = list(plain_rows(result))
    rows: list[list[Cell]] = []
    characters = 0
    for values, texts in zip(plain, format_rows(names, plain), strict=True):
        linked = _find_times(names, values, links)
        cells = [_make_cell(*each, linked) for each in zip(result.columns, values, texts, strict=True)]
        characters += sum(len(cell.text or "") + len(cell.link or "") + _BESIDE_A_CELL for cell in cells)
        if rows and characters > _MOST_CHARACTERS:
            break
        rows.append(cells)
    return ResultTable(result.columns, rows)


@dataclass(frozen=True, slots=True)
class _Linked:
    """How a row is linked: `at` is when its run began, by which the run is found faster; None: not known."""

    links: Links
    at: str | None


def _find_times(names: Sequence[str], values: Sequence[Any], links: Links) -> _Linked:
    times = [str(value) for name, value in zip(names, values, strict=True) if name == "started_at" and value]
    return _Linked(links, times[0] if times else None)


def _make_cell(column: Column, value: Any, text: Any, linked: _Linked) -> Cell:
    if value is None:
        return Cell(None, column.is_number)
    shown, exact = as_text(text), as_text(value)
    if column.is_number:
        return Cell(shown, is_number=True, exact=None if shown.replace(",", "") == exact else exact)
    if len(shown) > _LONG:
        left_out = len(shown) - _LONGEST
        rest = f"… {left_out:,} characters more" if left_out > 0 else ""
        return Cell(shown[:_LONGEST] + rest, beginning=shown[:_LONG])
    return Cell(shown, link=_find_link(column.name, value, linked))


def _find_link(name: str, value: Any, linked: _Linked) -> str | None:
    links = linked.links
    page = _PAGES["agent_trace_id"] if name.endswith("agent_trace_id") else _PAGES.get(name)
    if page is not None and isinstance(value, str):
        return links.to(page, value, at=linked.at if page == _PAGES["agent_trace_id"] else None)
    if name == "pattern_id" and isinstance(value, str):
        return links.to("runs", q=f"pattern:{value}")
    return None
