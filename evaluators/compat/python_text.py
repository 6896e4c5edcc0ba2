"""Python's text of a value: what Ragas and Floeval compare arguments by."""

from __future__ import annotations

from ..matching import TOO_DEEP

__all__ = ["Unwritable", "text"]


class Unwritable(ValueError):
    """Python does not write the value down."""


def text(value: object) -> str:
    """`str(value)`. Raises Unwritable where that has no end or, for an integer of over 4,300 digits, is refused."""
    try:
        return str(value)
    except RecursionError:
        raise Unwritable(TOO_DEEP) from None
    except ValueError:
        raise Unwritable("arguments have integers with more digits than Python writes") from None
