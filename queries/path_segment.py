"""Names as one segment of a path, which browsers and clients send as it is written.

They resolve `.` and `..`, escaped ones too, and drop an empty segment; and the last word of some paths is an action.
Such names have a mark behind them, and so have those that end with the mark.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

__all__ = ["read_segment", "write_segment"]

_MARK: Final = "~"
_ACTIONS: Final = frozenset({"backfill", "compare", "judge-calls", "pause", "resume", "runs"})


def write_segment(name: str) -> str:
    """Return a name as a segment of a path, which `read_segment` reads."""
    is_plain = name.strip(".") and not name.endswith(_MARK) and name.rpartition("/")[2] not in _ACTIONS
    return quote(name if is_plain else name + _MARK, safe=":")


def read_segment(segment: str) -> str:
    """Return the name of a segment whose escapes have been read."""
    return segment.removesuffix(_MARK)
