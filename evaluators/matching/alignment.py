"""Pairs the items of two lists, in order or in any order. Bounded in its work."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

__all__ = ["MAX_PAIRS", "TooLong", "longest_common_subsequence", "maximum_matching"]

MAX_PAIRS: Final = 1_000_000  # 1,000 calls against 1,000: about three seconds and 2 MB at worst

L = TypeVar("L")
R = TypeVar("R")


class TooLong(ValueError):
    """Two lists are too long to be compared pair by pair."""

    def __init__(self, left: int, right: int, limit: str = f"{MAX_PAIRS:,} pairs") -> None:
        super().__init__(f"{left:,} calls against {right:,} are too many to compare (the limit is {limit})")


def longest_common_subsequence(
    left: Sequence[L], right: Sequence[R], equal: Callable[[L, R], bool]
) -> list[tuple[int, int]]:
    """The longest run of pairs (position in left, position in right) in which both positions rise.

    `equal` may be any relation. Equal ends are free; raises TooLong when what lies between is beyond MAX_PAIRS.
    """
    start = _agreeing(zip(left, right, strict=False), equal)
    left_rest, right_rest = left[start:], right[start:]
    end = _agreeing(zip(reversed(left_rest), reversed(right_rest), strict=False), equal)
    rows, columns = len(left_rest) - end, len(right_rest) - end
    pairs = [(at, at) for at in range(start)]
    pairs += [(start + row, start + at) for row, at in _subsequence(left_rest[:rows], right_rest[:columns], equal)]
    return pairs + [(start + rows + at, start + columns + at) for at in range(end)]


def _agreeing(pairs: Iterator[tuple[L, R]], equal: Callable[[L, R], bool]) -> int:
    """How many pairs agree before one does not. Pairing equal ends is never worse: their other partners would cross."""
    count = 0
    for one, other in pairs:
        if not equal(one, other):
            break
        count += 1
    return count


def _subsequence(left: Sequence[L], right: Sequence[R], equal: Callable[[L, R], bool]) -> list[tuple[int, int]]:
    if not left or not right:
        return []
    _bound(left, right)
    below = array("H", bytes(2 * (len(right) + 1)))
    lengths = [below]  # from the last row to the first; the last column is 0
    for one in reversed(left):
        row = [0]
        beside = after = 0  # the lengths to the right and below that
        for other, under in zip(reversed(right), below[-2::-1], strict=True):
            longest = max(beside, under)
            beside = after + 1 if after >= longest and equal(one, other) else longest
            after = under
            row.append(beside)
        below = array("H", reversed(row))
        lengths.append(below)
    return _trace_back(lengths[::-1], len(right))


def _trace_back(lengths: Sequence[array[int]], width: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < len(lengths) - 1 and column < width:
        here = lengths[row][column]
        if here == lengths[row + 1][column]:
            row += 1
        elif here == lengths[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs


def maximum_matching(left: Sequence[L], right: Sequence[R], accepts: Callable[[L, R], bool]) -> dict[int, int]:
    """The most pairs {position in left: position in right} in which nobody stands twice.

    Kuhn's augmenting paths, searched breadth first over bit sets: no recursion, and at most
    len(left) * len(right) steps however dense the relation is. Raises TooLong beyond MAX_PAIRS.
    """
    _bound(left, right)
    open_to = [sum(1 << at for at, other in enumerate(right) if accepts(one, other)) for one in left]
    partner: dict[int, int] = {}
    holder: dict[int, int] = {}
    for start in range(len(left)):
        _augment(start, open_to, partner, holder)
    return dict(sorted(partner.items()))


def _augment(start: int, open_to: Sequence[int], partner: dict[int, int], holder: dict[int, int]) -> None:
    """Find `start` a partner, moving others to their next choice where that helps."""
    asked_by: dict[int, int] = {}
    seen = 0
    queue = [start]
    for one in queue:
        fresh = open_to[one] & ~seen
        seen |= fresh
        while fresh:
            other = (fresh & -fresh).bit_length() - 1
            fresh &= fresh - 1
            asked_by[other] = one
            if other not in holder:
                _flip(other, asked_by, partner, holder)
                return
            queue.append(holder[other])


def _flip(free: int, asked_by: Mapping[int, int], partner: dict[int, int], holder: dict[int, int]) -> None:
    other: int | None = free
    while other is not None:
        one = asked_by[other]
        released = partner.get(one)
        partner[one], holder[other] = other, one
        other = released


def _bound(left: Sequence[object], right: Sequence[object]) -> None:
    if len(left) * len(right) > MAX_PAIRS:
        raise TooLong(len(left), len(right))
