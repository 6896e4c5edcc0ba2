"""Answers for people: a table as wide as the terminal, or one column a line.

What traces hold is foreign text: markup stays text, and control characters are shown, not sent to the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .foreign_text import visible
from .result import Column, as_text

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

__all__ = ["TerminalTable", "expanded_rows", "terminal_table"]

_NUMBER = re.compile(r"(u?(tiny|small|big|huge)?int(eger)?\d*|half_?float|float|double|real|decimal.*)", re.IGNORECASE)
_LEAST_WIDTH: Final = 12
"""A column is not folded to less than this."""

_LEAST_OF_THE_LAST: Final = 20
"""The last column that is shown has at least this much to itself, where it has so much to say."""

_BESIDE_A_CELL: Final = 3
"""What the frame takes of each column."""

Cells = Sequence[Sequence["Text"]]


@dataclass(frozen=True, kw_only=True)
class TerminalTable:
    """A table for rich to print, `width` wide. The columns `left_out` found no room."""

    table: Table
    width: int
    left_out: tuple[str, ...]


def terminal_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, width: int | None) -> TerminalTable:
    """Plain rows as a table: NULL a dim ∅, numbers to the right, long text folded.

    Where `width` is too small, columns are folded; where even that does not help, columns without any value are left
    out, then those at the right end. Without a `width` nothing is folded or left out.
    """
    from rich.table import Table  # noqa: PLC0415  # only a terminal needs it

    head, cells = [_cell(column.name) for column in columns], [[_cell(value) for value in row] for row in rows]
    natural = [max(text.cell_len for text in _lines(at, head, cells)) for at in range(len(columns))]
    shown = list(range(len(columns))) if width is None else _fitting(natural, _without_values(rows), width)
    widths = _shared_out([natural[at] for at in shown], width)
    table = Table()
    for at, cell_width in zip(shown, widths, strict=True):
        justify = "right" if _NUMBER.fullmatch(columns[at].type) else "left"
        table.add_column(head[at], justify=justify, overflow="fold", width=cell_width)  # type: ignore[arg-type]  # a str
    for row in cells:
        table.add_row(*(row[at] for at in shown))
    left_out = tuple(column.name for at, column in enumerate(columns) if at not in shown)
    return TerminalTable(table=table, width=_framed(widths), left_out=left_out)


def expanded_rows(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> Iterator[Text]:
    """Plain rows with a line a column, under a heading each. Further lines of a value are set in, below its first."""
    from rich.text import Text  # noqa: PLC0415  # only a terminal needs it

    names = [visible(column.name).replace("\n", "\\n") for column in columns]
    margin = max((Text(name).cell_len for name in names), default=0)
    for number, row in enumerate(rows, 1):
        yield Text(f"── row {number} " + "─" * max(3, margin - 6), style="dim")
        for name, value in zip(names, row, strict=True):
            first, *further = _cell(value).split("\n", allow_blank=True)
            yield Text.assemble((name, "bold"), " " * (margin - Text(name).cell_len), "  ", first)
            yield from (Text.assemble(" " * (margin + 2), line) for line in further)


def _cell(value: Any) -> Text:
    from rich.text import Text  # noqa: PLC0415  # only a terminal needs it

    return Text("∅", style="dim") if value is None else Text(visible(as_text(value)))


def _lines(at: int, head: Sequence[Text], cells: Cells) -> Iterator[Text]:
    """All lines of a column."""
    for cell in (head[at], *(row[at] for row in cells)):
        yield from cell.split("\n", allow_blank=True)


def _without_values(rows: Sequence[Sequence[Any]]) -> set[int]:
    """The columns that are NULL in every row."""
    return {at for at, values in enumerate(zip(*rows, strict=True)) if all(value is None for value in values)}


def _fitting(natural: Sequence[int], without_values: set[int], width: int) -> list[int]:
    """The columns that can be shown within `width`, at least one, in their order."""
    shown = list(range(len(natural)))
    if _least(natural, shown) <= width:
        return shown
    shown = [at for at in shown if at not in without_values] or shown[:1]
    while len(shown) > 1 and _least(natural, shown) > width:
        shown.pop()
    return shown


def _least(natural: Sequence[int], shown: Sequence[int]) -> int:
    """How wide the table is with every column at its least."""
    *others, last = (natural[at] for at in shown)
    return _framed([*(min(each, _LEAST_WIDTH) for each in others), min(last, _LEAST_OF_THE_LAST)])


def _shared_out(natural: Sequence[int], width: int | None) -> list[int]:
    """The width of each column: the widest give way first."""
    widths = list(natural)
    while width is not None and _framed(widths) > width and max(widths) > 1:
        widest = max(widths)
        others = [each for each in widths if each < widest]
        surplus, count = _framed(widths) - width, len(widths) - len(others)
        level = max(max(others, default=1), widest - -(-surplus // count), 1)
        widths = [min(each, level) for each in widths]
    return widths


def _framed(widths: Sequence[int]) -> int:
    return 1 + sum(each + _BESIDE_A_CELL for each in widths)
