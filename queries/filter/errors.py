"""The error of a filter that cannot be read."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

__all__ = ["FilterError", "unknown"]


class FilterError(ValueError):
    """A filter that cannot be read: it selects nothing.

    `position` is that of the character at fault, from 0; `near` the nearest known word, if one is similar; `allowed`
    all that may be there, where that is a list.
    """

    def __init__(self, message: str, position: int, *, near: str | None = None, allowed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.position = position
        self.near = near
        self.allowed = tuple(allowed)


def unknown(what: str, word: str, position: int, *, allowed: Sequence[str], advice: str = "") -> FilterError:
    """Return the error for a word that is none of `allowed`, with the nearest of them, or else with `advice`."""
    near = next(iter(difflib.get_close_matches(word.lower(), allowed, 1, 0.6)), None)
    guess = f"; did you mean {near!r}?" if near else "."
    message = f"there is no {what} {word!r}{guess} Allowed: {', '.join(allowed)}"
    return FilterError(message if near else message + advice, position, near=near, allowed=allowed)
