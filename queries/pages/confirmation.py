"""What a page says after a form has changed something: `done=good:3` in its URL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["DONE", "read_confirmation", "write_confirmation"]

DONE: Final = "done"
"""The parameter of the URL. Links on the page leave it out."""

_MESSAGES: Final[Mapping[str, str]] = {
    "good": "run{s} labelled good by you.",
    "bad": "run{s} labelled bad by you.",
    "comment": "run{s} commented by you.",
    "evaluate": "run{s} to be evaluated again, after the runs that arrive.",
    "backfill": "score{s} requested: runs that arrive are evaluated first.",
}
_VALUE: Final = re.compile(r"([a-z]+):(0|[1-9]\d{0,12})")


def write_confirmation(action: str, count: int) -> str:
    """Return the value of the parameter after an action on so many runs, or that requested so many scores."""
    return f"{action}:{count}"


def read_confirmation(value: str | None) -> str | None:
    """Return what was done, in words; None for a value that is none of ours."""
    match = _VALUE.fullmatch(value or "")
    if match is None or match[1] not in _MESSAGES:
        return None
    count = int(match[2])
    return f"{count:,} {_MESSAGES[match[1]].format(s='' if count == 1 else 's')}"
