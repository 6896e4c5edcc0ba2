"""Python's text of a value, by which Ragas and Floeval compare arguments."""

from __future__ import annotations

from ..matching import TOO_DEEP

__all__ = ["Unwritable", "text"]


class Unwritable(ValueError):
    """Python cannot write the value as text."""


def text(value: object) -> str:
    """Return `str(value)`. Raises Unwritable for values nested too deeply and integers of more than 4,300 digits."""
    try:
        return str(value)
    except RecursionError:
        raise Unwritable(TOO_DEEP) from None
    except ValueError:
        raise Unwritable("arguments have integers with more digits than Python writes") from None
