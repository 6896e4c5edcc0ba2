"""Pairs calls first come, first served."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..matching import refuse_if_too_long

__all__ = ["first_come"]

L = TypeVar("L")
R = TypeVar("R")


def first_come(left: Sequence[L], right: Sequence[R], accepts: Callable[[L, R], bool]) -> dict[int, int]:
    """{position in these: position in those}: each takes the first that is free and accepted. Raises TooLong."""
    refuse_if_too_long((len(left), len(right)))
    free = list(enumerate(right))
    pairs: dict[int, int] = {}
    for at, left_item in enumerate(left):
        taken = next((place for place, (_, right_item) in enumerate(free) if accepts(left_item, right_item)), None)
        if taken is not None:
            pairs[at], _ = free.pop(taken)
    return pairs
