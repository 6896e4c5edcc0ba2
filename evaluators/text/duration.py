"""Durations as text: `250ms`, `2s`, `1h30m`, `7d`."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

__all__ = ["BadDuration", "duration", "duration_of", "in_words"]

_UNITS_S: Final = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_STEP: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")
_LONGEST: Final = timedelta(days=36_500)


class BadDuration(ValueError):
    """Not a duration, a negative one, or one of more than a hundred years."""


def duration(text: str) -> timedelta:
    """Return the duration that `text` is. Raises BadDuration."""
    if not re.fullmatch(rf"(?:{_STEP.pattern}\s*)+", text.strip()):
        raise BadDuration(f"{text!r} is not a duration; write it as 250ms, 2s, 5m, 12h or 7d")
    return duration_of(sum(float(number) * _UNITS_S[unit] for number, unit in _STEP.findall(text)))


def duration_of(seconds: float) -> timedelta:
    """Return a duration of that many seconds. Raises BadDuration."""
    if not 0 <= seconds <= _LONGEST.total_seconds():
        raise BadDuration(f"{seconds:g} s is not a duration; write one from 0s to {in_words(_LONGEST)}")
    return timedelta(seconds=seconds)


def in_words(time: timedelta) -> str:
    """Return `time` as text in the largest unit of which it is a whole number, else in seconds: `90m`, `1.5s`."""
    seconds = time.total_seconds()
    for unit in ("d", "h", "m"):
        if seconds and not seconds % _UNITS_S[unit]:
            return f"{seconds / _UNITS_S[unit]:g}{unit}"
    return f"{seconds:g}s"
