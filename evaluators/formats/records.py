"""Reads the records of a file that people write: CSV with a header, a JSON list, or JSON lines, each with its place."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Record", "read_records"]

_DELIMITERS: Final = ",;\t"
_SPACE: Final = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Record:
    """One record at a `place`, such as `line 3`: its `value`, or the fault because of which it cannot be read.

    Of CSV, the value is an object with the text of each cell that is not empty, and `is_csv` is set. `list_name` is the
    key of the list in a document that has the records under a key.
    """

    place: str
    value: Any = None
    fault: str | None = None
    is_csv: bool = False
    list_name: str | None = None


def read_records(text: str, *, lists: Collection[str] = ()) -> Iterator[Record]:
    """Yield the records in the text of a file, whose format is recognised by the text.

    A single JSON object is one record, unless it has a list under one of the keys `lists`: then these are the records.
    Raises ValueError if it is not clear where a record begins and ends.
    """
    begins = text.lstrip()[:1]
    if begins == "[":
        return _read_list(text, text.index("["))
    if begins != "{":
        return _read_csv(text)
    with suppress(ValueError, RecursionError):
        document = json.loads(text, parse_constant=str)
        if (key := next((key for key in lists if isinstance(document.get(key), list)), None)) is not None:
            return _read_list(text, _find_value(text, key), list_name=key)
        return iter([Record("line 1", document)])
    return _read_lines(text)


def _find_value(text: str, key: str) -> int:
    """Return the position of the value under `key` in the object that is the whole text."""
    decoder, position = json.JSONDecoder(parse_constant=str), text.index("{") + 1
    while True:
        name, position = decoder.raw_decode(text, _skip(text, position, f"{_SPACE},"))
        position = _skip(text, position, f"{_SPACE}:")
        if name == key:
            return position
        _, position = decoder.raw_decode(text, position)


def _read_list(text: str, position: int, *, list_name: str | None = None) -> Iterator[Record]:
    decoder, counted_to, line, number = json.JSONDecoder(parse_constant=str), 0, 1, 1
    position += 1
    while position < len(text):
        position = _skip(text, position, f"{_SPACE},")
        line, counted_to = line + text.count("\n", counted_to, position), position
        if position == len(text):
            break
        if text[position] == "]":
            return
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {line}: this is not JSON: {error}") from error
        yield Record(f"line {line}, entry {number}", value, list_name=list_name)
        number += 1
    raise ValueError(f"line {line}: the list does not end; is the file whole?")


def _skip(text: str, position: int, skipped: str) -> int:
    while position < len(text) and text[position] in skipped:
        position += 1
    return position


def _read_lines(text: str) -> Iterator[Record]:
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                yield Record(f"line {line}", json.loads(content, parse_constant=str))
            except (ValueError, RecursionError) as error:
                yield Record(f"line {line}", fault=f"this is not JSON: {error}")


def _read_csv(text: str) -> Iterator[Record]:
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=head.count), strict=True)
    names: list[str] = []
    line = 1
    try:
        for cells in reader:
            if names and any(cells):
                yield _read_row(f"line {line}", names, cells)
            elif not names:
                names = [name.strip() for name in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        yield Record(f"line {line}", fault=f"this is not CSV, and nothing after it is read: {error}")


def _read_row(place: str, names: Sequence[str], cells: Sequence[str]) -> Record:
    if len(cells) > len(names):
        counts = f"{len(cells)} cells and the header {len(names)}"
        return Record(place, fault=f"it has {counts}; put quotes around what holds a delimiter")
    filled_cells = {name: cell.strip() for name, cell in zip(names, cells, strict=False) if cell.strip()}
    return Record(place, filled_cells, is_csv=True)
