"""Answers for people: a table as wide as the terminal, or one column per line.

Content of traces is foreign text: markup stays text, and control characters are shown, not sent to the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .foreign_text import visible
from .result import Column, as_text

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

__all__ = ["TerminalTable", "expanded_rows", "terminal_table"]

_LEAST_WIDTH: Final = 12
"""The least width of a folded column."""

_LEAST_OF_THE_LAST: Final = 20
"""The least width of the last column that is shown, if its content is as wide."""

_BESIDE_A_CELL: Final = 3
"""The width of the frame for each column."""

Cells = Sequence[Sequence["Text"]]


@dataclass(frozen=True, kw_only=True)
class TerminalTable:
    """A table for rich to print, `width` wide. There was no space for the columns `left_out`."""

    table: Table
    width: int
    left_out: tuple[str, ...]


def terminal_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]], *, width: int | None) -> TerminalTable:
    """Make a table of plain rows: NULL a dim ∅, numbers to the right, long text folded.

    If `width` is too small, columns are folded; if that is not enough, columns without any value are left out, then
    those at the right end. Without a `width` nothing is folded or left out.
    """
    from rich.table import Table  # noqa: PLC0415  # only a terminal needs it

    head, cells = (
        [_make_cell(column.name) for column in columns],
        [[_make_cell(value) for value in row] for row in rows],
    )
    natural = [max(text.cell_len for text in _split_lines(at, head, cells)) for at in range(len(columns))]
    shown = list(range(len(columns))) if width is None else _choose_columns(natural, _find_empty_columns(rows), width)
    widths = _share_width([natural[at] for at in shown], width)
    table = Table()
    for at, cell_width in zip(shown, widths, strict=True):
        justify = "right" if columns[at].is_number else "left"
        table.add_column(head[at], justify=justify, overflow="fold", width=cell_width)  # type: ignore[arg-type]  # a str
    for row in cells:
        table.add_row(*(row[at] for at in shown))
    left_out = tuple(column.name for at, column in enumerate(columns) if at not in shown)
    return TerminalTable(table=table, width=_measure_framed(widths), left_out=left_out)


def expanded_rows(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> Iterator[Text]:
    """Yield a heading for each plain row, then a line for each column. Further lines of a value are indented."""
    from rich.text import Text  # noqa: PLC0415  # only a terminal needs it

    names = [visible(column.name).replace("\n", "\\n") for column in columns]
    margin = max((Text(name).cell_len for name in names), default=0)
    for number, row in enumerate(rows, 1):
        yield Text(f"── row {number} " + "─" * max(3, margin - 6), style="dim")
        for name, value in zip(names, row, strict=True):
            first, *further = _make_cell(value).split("\n", allow_blank=True)
            yield Text.assemble((name, "bold"), " " * (margin - Text(name).cell_len), "  ", first)
            yield from (Text.assemble(" " * (margin + 2), line) for line in further)


def _make_cell(value: Any) -> Text:
    from rich.text import Text  # noqa: PLC0415  # only a terminal needs it

    return Text("∅", style="dim") if value is None else Text(visible(as_text(value)))


def _split_lines(at: int, head: Sequence[Text], cells: Cells) -> Iterator[Text]:
    """Yield the lines of all cells of a column."""
    for cell in (head[at], *(row[at] for row in cells)):
        yield from cell.split("\n", allow_blank=True)


def _find_empty_columns(rows: Sequence[Sequence[Any]]) -> set[int]:
    """Find the columns that are NULL in every row."""
    return {at for at, values in enumerate(zip(*rows, strict=True)) if all(value is None for value in values)}


def _choose_columns(natural: Sequence[int], without_values: set[int], width: int) -> list[int]:
    """Choose the columns that can be shown within `width`, at least one, in their order."""
    shown = list(range(len(natural)))
    if _measure_least(natural, shown) <= width:
        return shown
    shown = [at for at in shown if at not in without_values] or shown[:1]
    while len(shown) > 1 and _measure_least(natural, shown) > width:
        shown.pop()
    return shown


def _measure_least(natural: Sequence[int], shown: Sequence[int]) -> int:
    """Return the width of the table with every column at its least width."""
    *others, last = (natural[at] for at in shown)
    return _measure_framed([*(min(each, _LEAST_WIDTH) for each in others), min(last, _LEAST_OF_THE_LAST)])


def _share_width(natural: Sequence[int], width: int | None) -> list[int]:
    """Choose the width of each column: the widest are narrowed first."""
    widths = list(natural)
    while width is not None and _measure_framed(widths) > width and max(widths) > 1:
        widest = max(widths)
        others = [each for each in widths if each < widest]
        surplus, count = _measure_framed(widths) - width, len(widths) - len(others)
        level = max(max(others, default=1), widest - -(-surplus // count), 1)
        widths = [min(each, level) for each in widths]
    return widths


def _measure_framed(widths: Sequence[int]) -> int:
    return 1 + sum(each + _BESIDE_A_CELL for each in widths)
