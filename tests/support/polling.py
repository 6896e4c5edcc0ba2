"""Waits for a condition, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["until"]

T = TypeVar("T")

_PATIENCE_S = 20.0
_POLL_S = 0.03


def until(
    ask: Callable[[], T],
    holds: Callable[[T], object] = bool,
    *,
    within_s: float = _PATIENCE_S,
    every_s: float = _POLL_S,
) -> T:
    """Returns the first answer of `ask` that `holds`; an AssertionError names the last one if none does in time."""
    deadline = time.monotonic() + within_s
    while not holds(answer := ask()):
        assert time.monotonic() < deadline, f"not within {within_s:g} s; the last answer was {answer!r}"
        time.sleep(every_s)
    return answer
