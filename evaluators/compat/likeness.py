"""Similarity in [0, 1] of objects, and pairs of the most similar calls."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias, TypeVar

from ..model import JsonObject

__all__ = ["Pairs", "alike", "frozen", "weighted_subsequence"]

L = TypeVar("L")
R = TypeVar("R")

Pairs: TypeAlias = dict[int, tuple[int, float]]
"""{position on the left: (position on the right, similarity)}."""


def alike(left: JsonObject, right: JsonObject) -> float:
    """Return the share of equal values among all keys of both, in [0, 1]: objects recursively, lists wholly or not at
    all.

    Values are equal as in Python: 1, 1.0 and true are the same. Raises RecursionError on very deep objects.
    """
    return _compare(left, right)[1]


def _compare(left: JsonObject, right: JsonObject) -> tuple[bool, float]:
    """Return whether both are equal, and their similarity in [0, 1]."""
    keys = len(left.keys() | right.keys())
    is_equal, score = len(left) == len(right) == keys, 0.0
    for key in sorted(
        left.keys() & right.keys()
    ):  # the sum depends on the order, and the order of a set on the process
        left_value, right_value = left[key], right[key]
        if isinstance(left_value, dict) and isinstance(right_value, dict):
            is_same, share = _compare(left_value, right_value)
        else:
            share = float(left_value == right_value)
            is_same = left_value is right_value or left_value == right_value  # like in containers, NaN equals itself
        is_equal, score = is_equal and is_same, score + share / keys
    return is_equal, 1.0 if is_equal else score


def frozen(value: Any) -> Hashable:
    """Return a hashable value, equal for values that are equal in Python. Raises RecursionError on very deep ones."""
    if isinstance(value, dict):
        return "{", frozenset((key, frozen(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "[", tuple(map(frozen, value))
    return value if isinstance(value, Hashable) else repr(value)


def weighted_subsequence(left: Sequence[L], right: Sequence[R], likeness: Callable[[L, R], float]) -> Pairs:
    """Return the pairs in which both positions rise with the highest sum of similarities, last pair first.

    Costs len(left) * len(right) calls of `likeness`, and eight bytes each.
    """
    above = array("d", bytes(8 * (len(right) + 1)))
    rows = [above]
    for left_item in left:
        row = array("d", [0.0])
        for at, right_item in enumerate(right):
            most = max(above[at + 1], row[at])
            if (weight := likeness(left_item, right_item)) > 0:
                most = max(most, above[at] + weight)
            row.append(most)
        rows.append(row)
        above = row
    return _traced_back(rows)


def _traced_back(rows: Sequence[array[float]]) -> Pairs:
    row, column = len(rows) - 1, len(rows[0]) - 1
    pairs: Pairs = {}
    while row and column:
        most = rows[row][column]
        if most == rows[row - 1][column]:
            row -= 1
        elif most == rows[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs[row] = (column, most - rows[row][column])
    return pairs
