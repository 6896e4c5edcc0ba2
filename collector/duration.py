"""How people write spans of time in settings."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, Field

__all__ = ["Duration"]

_UNITS_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")


def _duration(value: object) -> object:
    """`2s`, `1h30m`, `250ms`, or a number of seconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return timedelta(seconds=value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if re.fullmatch(rf"(?:{_STEP.pattern}\s*)+", text):
        return timedelta(seconds=sum(float(number) * _UNITS_S[unit] for number, unit in _STEP.findall(text)))
    raise ValueError(f"{value!r} is no duration; write it as 250ms, 2s, 5m, 12h or 7d")


Duration = Annotated[timedelta, BeforeValidator(_duration), Field(ge=timedelta(0))]
