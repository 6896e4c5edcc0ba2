"""Finds the place in a statement that an error of DuckDB points at."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

__all__ = ["Place", "find_place"]

_CARET: Final = re.compile(r"^(LINE (\d+): )(.*)\n( *)\^+\s*\Z", re.MULTILINE)
_CUT: Final = "..."


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a statement: its line, from 1, and its position in characters, from 0."""

    line: int
    position: int


def find_place(message: str, sql: str) -> Place | None:
    """Return the place that the end of an error message points at with a caret; None if it points at none.

    DuckDB shows a long line only in part, with dots at the cut ends.
    """
    match = _CARET.search(message)
    lines = sql.split("\n")
    if match is None or int(match[2]) > len(lines):
        return None
    number, column = int(match[2]), _count_characters(match[3], len(match[4]) - len(match[1]))
    line = lines[number - 1]
    if match[3].startswith(_CUT):
        column += line.find(match[3].removeprefix(_CUT).removesuffix(_CUT)) - len(_CUT)
    if not 0 <= column <= len(line):
        return None
    return Place(number, sum(len(each) + 1 for each in lines[: number - 1]) + column)


def _count_characters(line: str, width: int) -> int:
    """Return how many characters of a line stand before this width: DuckDB counts wide ones twice."""
    count = 0
    for character in line:
        if width <= 0:
            break
        width -= 2 if unicodedata.east_asian_width(character) in "WF" else 1
        count += 1
    return count + max(width, 0)
