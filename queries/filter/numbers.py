"""Reads comparisons with numbers: `cost>0.1`, `tokens>=5k`, `duration>5s`."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tracegrade.evaluators.text.duration import BadDuration, duration

__all__ = ["ReadNumber", "read_dollars", "read_milliseconds", "read_number", "read_range", "read_thousands"]

ReadNumber: TypeAlias = Callable[[str], float]
"""Reads a number with its unit. Raises ValueError, whose message says how to write it."""

_NUMBER: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e-?[0-9]+)?", re.IGNORECASE)
_THOUSANDS: Final[Mapping[str, float]] = {"": 1, "k": 1_000, "m": 1_000_000}


def read_range(sign: str, number: float) -> dict[str, float]:
    """Return the least and the most that a number with this comparison may be. JSON has both: neither is infinite."""
    least = number if sign in (">=", "=") else math.nextafter(number, math.inf) if sign == ">" else -sys.float_info.max
    most = number if sign in ("<=", "=") else math.nextafter(number, -math.inf) if sign == "<" else sys.float_info.max
    return {"least": least, "most": most}


def read_number(text: str) -> float:
    """Read a number without a unit."""
    if not _NUMBER.fullmatch(text) or not math.isfinite(number := float(text)):
        raise ValueError(f"{text!r} is not a number; write it as 3, 0.5 or -1")
    return number


def read_dollars(text: str) -> float:
    """Read an amount in US dollars."""
    try:
        return read_number(text.removeprefix("$"))
    except ValueError:
        raise ValueError(f"{text!r} is not an amount in US dollars; write it as 0.1 or $2") from None


def read_thousands(text: str) -> float:
    """Read a number of which `k` is a thousand and `m` a million."""
    unit = text[-1:].lower() if text[-1:].lower() in _THOUSANDS else ""
    try:
        return read_number(text[: len(text) - len(unit)]) * _THOUSANDS[unit]
    except ValueError:
        raise ValueError(f"{text!r} is not a number; write it as 500, 5k or 1.5m") from None


def read_milliseconds(text: str) -> float:
    """Read a duration with its unit, in milliseconds."""
    try:
        return duration(text).total_seconds() * 1_000
    except BadDuration:
        raise ValueError(f"{text!r} is not a duration; write it as 250ms, 5s, 2m or 1h30m") from None
