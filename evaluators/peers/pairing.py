"""Calls that are paired first come, first served, and how many of them are compared at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ..matching import MAX_PAIRS, TooLong

__all__ = ["bound", "first_come"]

L = TypeVar("L")
R = TypeVar("R")


class _TooManySteps(TooLong):
    """The pairs are few enough, but each is looked at in many places."""

    def __init__(self, left: int, right: int) -> None:
        ValueError.__init__(
            self,
            f"{left:,} calls against {right:,} are too many to compare at so many dotted paths "
            f"(the limit is {MAX_PAIRS:,} steps)",
        )


def bound(*lengths: tuple[int, int], steps: int = 0) -> None:
    """Refuses to compare two lists of calls, or several such pairs of lists, where that takes too long.

    `steps` is how many keys of dotted paths will be looked up at most. Raises TooLong.
    """
    left, right = (sum(side) for side in zip(*lengths, strict=True)) if lengths else (0, 0)
    if sum(one * other for one, other in lengths) > MAX_PAIRS:
        raise TooLong(left, right)
    if steps > MAX_PAIRS:
        raise _TooManySteps(left, right)


def first_come(these: Sequence[L], those: Sequence[R], accepts: Callable[[L, R], bool]) -> dict[int, int]:
    """{position in these: position in those}: each takes the first that is free and accepted. Raises TooLong."""
    bound((len(these), len(those)))
    free = list(enumerate(those))
    pairs: dict[int, int] = {}
    for at, one in enumerate(these):
        taken = next((place for place, (_, other) in enumerate(free) if accepts(one, other)), None)
        if taken is not None:
            pairs[at], _ = free.pop(taken)
    return pairs
