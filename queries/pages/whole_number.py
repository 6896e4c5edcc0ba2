"""Whole numbers that URLs and forms carry: the place of an item, a turn, a call."""

from __future__ import annotations

from typing import Final

from .errors import PageError
from .visit import Visit

__all__ = ["as_whole_number", "read_whole_number"]

_BAD_REQUEST: Final = 400
_MOST_DIGITS: Final = 18
"""Fits 64 bits, as the store's numbers do; Python itself refuses to read more than some thousands of digits."""

_SHOWN: Final = 40


def as_whole_number(text: str) -> int | None:
    """Return the number that a text is; None if it is not a whole number of at most 18 digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def read_whole_number(visit: Visit, parameter: str) -> int | None:
    """Return a number in the URL; None if it is missing. Raises PageError if it is no whole number."""
    text = visit.query(parameter)
    if text is None:
        return None
    number = as_whole_number(text)
    if number is None:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        raise PageError(
            _BAD_REQUEST,
            "This link cannot be shown",
            f"`{parameter}` must be a whole number of at most {_MOST_DIGITS} digits, not {shown!r}.",
            link=(visit.links.again(**{parameter: None}), "Show the page without it"),
        )
    return number
