"""Why a SELECT was not answered: what the database says, and the line that it points at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ...http.refusal import Refusal

__all__ = ["Fault", "describe_fault"]

_TAIL: Final = re.compile(r"\n+LINE \d+: .*\Z", re.DOTALL)
_WIDTH: Final = 72


@dataclass(frozen=True, slots=True)
class Fault:
    """`text` says what is wrong. `excerpt` is the part of the SELECT at fault, at `position` in the whole; a caret
    stands under its character `column`. They are None if no place is known."""

    status: int
    text: str
    excerpt: str | None = None
    line: int | None = None
    column: int = 0
    position: int | None = None


def describe_fault(refusal: Refusal, sql: str) -> Fault:
    """Return the fault of a query that was refused."""
    details = refusal.details
    if details is None or details.position is None or details.line is None:
        return Fault(refusal.status, str(refusal))
    begin = sql.rfind("\n", 0, details.position) + 1
    line = sql[begin:].partition("\n")[0].replace("\t", " ")
    column = details.position - begin
    cut = max(0, column - _WIDTH // 2) if len(line) > _WIDTH else 0
    text = _TAIL.sub("", str(refusal))
    return Fault(refusal.status, text, line[cut : cut + _WIDTH], details.line, column - cut, details.position)
