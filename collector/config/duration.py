"""Durations in settings."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from tracegrade.evaluators.text.duration import duration, duration_of

__all__ = ["Duration", "TimeLimit"]


def _parse_duration(value: object) -> object:
    """Parse `2s`, `1h30m`, `250ms`, or a number of seconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return duration_of(value)
    return duration(value) if isinstance(value, str) else value


def _require_positive(value: timedelta) -> timedelta:
    if not value:
        raise ValueError("must be more than 0s, such as 10s")
    return value


Duration = Annotated[timedelta, BeforeValidator(_parse_duration)]
TimeLimit = Annotated[Duration, AfterValidator(_require_positive)]
"""A duration that is not zero."""
