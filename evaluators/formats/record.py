"""One record of a file, with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Record"]


@dataclass(frozen=True, slots=True)
class Record:
    """One record at a `place`, such as `line 3`: its `value`, or the fault because of which it cannot be read.

    Of CSV, the value is an object with the text of each cell that is not empty, and `is_csv` is set. `list_name` is the
    key of the list in a document that has the records under a key. `repeated` is a key that an object in it has twice,
    of which the value has the last.
    """

    place: str
    value: Any = None
    fault: str | None = None
    is_csv: bool = False
    list_name: str | None = None
    repeated: str | None = None
