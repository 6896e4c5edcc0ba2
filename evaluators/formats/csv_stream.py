"""Reads the rows of CSV with a header, one after the other."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from .byte_window import ByteWindow
from .record import Record

__all__ = ["read_csv"]

_DELIMITERS: Final = ",;\t"
_UNDECODED: Final = range(0xDC80, 0xDD00)

_MOST_COLUMNS: Final = 1_000
_MOST_LINES_OF_ROW: Final = 100_000
_MOST_DELIMITERS_OF_ROW: Final = 1_000_000
"""Also within quotes: a cell takes up to twenty times the memory of its text."""


def read_csv(window: ByteWindow) -> Iterator[Record]:
    """Yield the rows with content. The delimiter is the one that is most frequent in the header.

    Rows after one that is not CSV are read, until the lines that were read again have the size of the largest record.
    """
    csv.field_size_limit(max(csv.field_size_limit(), window.most_bytes))
    lines = _Lines(window)
    lines.delimiter = max(_DELIMITERS, key=lines.peek().count)
    reader = csv.reader(lines, delimiter=lines.delimiter, strict=True)
    names: list[str] = []
    while True:
        place = lines.begin_row()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Record(place, fault=f"this is not CSV: {lines.fault or error}")
            if not lines.return_all_but_first():
                yield Record(place, fault="too many quotes are not closed, so the rest is not read; close them")
                return
            lines.fault = None
            continue
        if names and any(cells):
            yield _read_row(place, names, cells)
        elif not names:
            names = [name.strip() for name in cells]
            if len(names) > _MOST_COLUMNS:
                yield Record(place, fault=f"it has more than {_MOST_COLUMNS:,} columns, so no row is read; remove some")
                return
            if (repeated := next((name for name in names if name and names.count(name) > 1), None)) is not None:
                yield Record(place, fault=f"two columns are called {repeated!r}, so no row is read; rename one of them")
                return


class _Lines:
    """The lines of a file as text. Bytes that are not UTF-8 become lone surrogates, as in Python's file names."""

    def __init__(self, window: ByteWindow) -> None:
        self.fault: str | None = None
        self.delimiter = _DELIMITERS[0]
        self._window = window
        self._waiting: deque[tuple[int, str]] = deque()
        self._of_row: list[tuple[int, str]] = []
        self._row_bytes = 0
        self._row_delimiters = 0
        self._bytes_to_read_again = window.most_bytes

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self._row_bytes > self._window.most_bytes or len(self._of_row) >= _MOST_LINES_OF_ROW:
            self.fault = "a quote is not closed within the largest record"
            raise csv.Error(self.fault)
        line = self._waiting.popleft() if self._waiting else self._read()
        if line is None:
            raise StopIteration
        self._of_row.append(line)
        self._row_bytes += len(line[1])
        self._row_delimiters += line[1].count(self.delimiter)
        if self._row_delimiters > _MOST_DELIMITERS_OF_ROW:
            self.fault = f"a row has more than {_MOST_DELIMITERS_OF_ROW:,} delimiters"
            raise csv.Error(self.fault)
        return line[1]

    def peek(self) -> str:
        if (line := self._read()) is None:
            return ""
        self._waiting.append(line)
        return line[1]

    def begin_row(self) -> str:
        """Begin a row, and return its place."""
        self._of_row, self._row_bytes, self._row_delimiters = [], 0, 0
        return f"line {self._waiting[0][0] if self._waiting else self._window.line}"

    def return_all_but_first(self) -> bool:
        """Let the lines of this row be read again as other rows, all but its first; return whether they may be."""
        self._bytes_to_read_again -= sum(len(text) for _, text in self._of_row[1:])
        self._waiting.extendleft(reversed(self._of_row[1:]))
        return self._bytes_to_read_again >= 0

    def _read(self) -> tuple[int, str] | None:
        number, length = self._window.line, self._window.measure_line()
        if length is None:
            self._window.skip_line()
            return number, "\udc00"
        if length == 0:
            return None
        content = self._window.content[self._window.start : self._window.start + length]
        self._window.advance(length)
        return number, content.decode(errors="surrogateescape")


def _read_row(place: str, names: Sequence[str], cells: Sequence[str]) -> Record:
    if (fault := _find_undecoded(names, cells)) is not None:
        return Record(place, fault=fault)
    if len(cells) > len(names):
        counts = f"{len(cells)} cells and the header {len(names)}"
        return Record(place, fault=f"it has {counts}; put quotes around what holds a delimiter")
    filled_cells = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if cell.strip()}
    return Record(place, filled_cells, is_csv=True)


def _find_undecoded(names: Sequence[str], cells: Sequence[str]) -> str | None:
    """Return what is wrong with a row that has lone surrogates; None if it has none."""
    for number, cell in enumerate(cells):
        if cell.isascii():
            continue
        if cell == "\udc00":
            return "the line is too long, and is not read"
        if byte := next((ord(character) - 0xDC00 for character in cell if ord(character) in _UNDECODED), None):
            column = names[number] if number < len(names) else str(number + 1)
            return f"{column}: byte {byte:#04x} is not UTF-8; save the file as UTF-8"
    return None
