"""Pairs each call with the first one that fits, and rejects lists that are too long to be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..matching import MAX_PAIRS, TooLong

__all__ = ["first_come", "refuse_if_too_long"]

L = TypeVar("L")
R = TypeVar("R")


def refuse_if_too_long(*lengths: tuple[int, int], steps: int = 0) -> None:
    """Raise TooLong if two lists of calls of these lengths, or several such pairs of lists, have too many pairs.

    `steps` is the most keys of dotted paths that will be looked up, which are limited as well.
    """
    left, right = (sum(side) for side in zip(*lengths, strict=True)) if lengths else (0, 0)
    if sum(rows * columns for rows, columns in lengths) > MAX_PAIRS:
        raise TooLong(left, right)
    if steps > MAX_PAIRS:
        raise TooLong(left, right, f"{MAX_PAIRS:,} keys of dotted paths")


def first_come(left: Sequence[L], right: Sequence[R], accepts: Callable[[L, R], bool]) -> dict[int, int]:
    """Return {position in left: position in right}: each item gets the first free one that fits. Raises TooLong."""
    refuse_if_too_long((len(left), len(right)))
    free = list(enumerate(right))
    pairs: dict[int, int] = {}
    for at, left_item in enumerate(left):
        taken = next((place for place, (_, right_item) in enumerate(free) if accepts(left_item, right_item)), None)
        if taken is not None:
            pairs[at], _ = free.pop(taken)
    return pairs
