"""Pairs the items of two lists, in order or in any order. Bounded in its work."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

__all__ = ["MAX_PAIRS", "TooLong", "longest_common_subsequence", "maximum_matching", "refuse_if_too_long"]

MAX_PAIRS: Final = 1_000_000  # 1,000 calls against 1,000: about three seconds and 2 MB at worst

L = TypeVar("L")
R = TypeVar("R")


class TooLong(ValueError):
    """Two lists are too long to be compared pair by pair."""

    def __init__(self, left: int, right: int, limit: str = f"{MAX_PAIRS:,} pairs") -> None:
        super().__init__(f"{left:,} calls against {right:,} are too many to compare (the limit is {limit})")


def refuse_if_too_long(*lengths: tuple[int, int], steps: int = 0) -> None:
    """Raise TooLong where two lists of calls of these lengths, or several such pairs of lists, have too many pairs.

    `steps` is how many keys of dotted paths will be looked up at most; they are limited as well.
    """
    left, right = (sum(side) for side in zip(*lengths, strict=True)) if lengths else (0, 0)
    if sum(rows * columns for rows, columns in lengths) > MAX_PAIRS:
        raise TooLong(left, right)
    if steps > MAX_PAIRS:
        raise TooLong(left, right, f"{MAX_PAIRS:,} keys of dotted paths")


def longest_common_subsequence(
    left: Sequence[L], right: Sequence[R], equal: Callable[[L, R], bool]
) -> list[tuple[int, int]]:
    """Return the longest run of pairs (position in left, position in right) in which both positions rise.

    `equal` may be any relation. Equal ends are free; raises TooLong when what lies between is beyond MAX_PAIRS.
    """
    start = _count_agreeing(zip(left, right, strict=False), equal)
    left_rest, right_rest = left[start:], right[start:]
    end = _count_agreeing(zip(reversed(left_rest), reversed(right_rest), strict=False), equal)
    rows, columns = len(left_rest) - end, len(right_rest) - end
    pairs = [(at, at) for at in range(start)]
    pairs += [(start + row, start + at) for row, at in _subsequence(left_rest[:rows], right_rest[:columns], equal)]
    return pairs + [(start + rows + at, start + columns + at) for at in range(end)]


def _count_agreeing(pairs: Iterator[tuple[L, R]], equal: Callable[[L, R], bool]) -> int:
    """Return how many pairs agree before one does not. Pairing equal ends is never worse: their other partners would
    cross."""
    count = 0
    for left_item, right_item in pairs:
        if not equal(left_item, right_item):
            break
        count += 1
    return count


def _subsequence(left: Sequence[L], right: Sequence[R], equal: Callable[[L, R], bool]) -> list[tuple[int, int]]:
    if not left or not right:
        return []
    refuse_if_too_long((len(left), len(right)))
    below = array("H", bytes(2 * (len(right) + 1)))
    lengths = [below]  # from the last row to the first; the last column is 0
    for left_item in reversed(left):
        row = [0]
        beside = after = 0  # the lengths to the right and below that
        for right_item, under in zip(reversed(right), below[-2::-1], strict=True):
            longest = max(beside, under)
            beside = after + 1 if after >= longest and equal(left_item, right_item) else longest
            after = under
            row.append(beside)
        below = array("H", reversed(row))
        lengths.append(below)
    return _trace_back(lengths[::-1], len(right))


def _trace_back(lengths: Sequence[array[int]], width: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    row = column = 0
    while row < len(lengths) - 1 and column < width:
        length = lengths[row][column]
        if length == lengths[row + 1][column]:
            row += 1
        elif length == lengths[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs


def maximum_matching(left: Sequence[L], right: Sequence[R], accepts: Callable[[L, R], bool]) -> dict[int, int]:
    """Return the most pairs {position in left: position in right} in which nobody stands twice.

    Kuhn's augmenting paths, searched breadth first over bit sets: no recursion, and at most
    len(left) * len(right) steps however dense the relation is. Raises TooLong beyond MAX_PAIRS.
    """
    refuse_if_too_long((len(left), len(right)))
    open_to = [
        sum(1 << at for at, right_item in enumerate(right) if accepts(left_item, right_item)) for left_item in left
    ]
    partner: dict[int, int] = {}
    holder: dict[int, int] = {}
    for start in range(len(left)):
        _augment(start, open_to, partner, holder)
    return dict(sorted(partner.items()))


def _augment(start: int, open_to: Sequence[int], partner: dict[int, int], holder: dict[int, int]) -> None:
    """Find `start` a partner, moving others to their next choice where that helps."""
    reached_from: dict[int, int] = {}
    seen = 0
    queue = [start]
    for source in queue:
        unseen = open_to[source] & ~seen
        seen |= unseen
        while unseen:
            candidate = (unseen & -unseen).bit_length() - 1
            unseen &= unseen - 1
            reached_from[candidate] = source
            if candidate not in holder:
                _flip(candidate, reached_from, partner, holder)
                return
            queue.append(holder[candidate])


def _flip(free: int, reached_from: Mapping[int, int], partner: dict[int, int], holder: dict[int, int]) -> None:
    candidate: int | None = free
    while candidate is not None:
        source = reached_from[candidate]
        released = partner.get(source)
        partner[source], holder[candidate] = candidate, source
        candidate = released
