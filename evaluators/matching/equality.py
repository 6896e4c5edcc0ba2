"""Compares JSON values, and arguments in the modes of a reference. Pure, and not recursive."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import orjson

from ..model import ArgumentMode, JsonObject, ToolCall

__all__ = ["fits", "is_comparable", "same"]


def fits(
    mode: ArgumentMode, expected: JsonObject, actual: JsonObject, *, fold: Callable[[str], str] | None = None
) -> bool:
    """Return whether `actual` matches `expected` in this mode, with strings equal as they are or after `fold`."""
    if mode == "ignore":
        return True
    if mode == "subset":
        actual = {key: value for key, value in actual.items() if key in expected}
    elif mode == "superset":
        expected = {key: value for key, value in expected.items() if key in actual}
    return same(expected, actual, fold=fold)


def is_comparable(call: ToolCall) -> bool:
    """Return whether the call's arguments were recorded, as an object or as text."""
    return call.args is not None or call.args_text is not None


def same(left: object, right: object, *, fold: Callable[[str], str] | None = None) -> bool:
    """Return whether two JSON values are equal.

    Numbers are compared by their decimal value, strings as they are or after `fold`; NaN equals NaN. A boolean is not a
    number, and null equals only null. Not recursive, so that deep nesting does not exhaust the stack.
    """
    if type(left) not in _CONTAINERS:
        return left is right or _same_scalar(left, right, fold)
    waiting = _below(left, right, fold)
    if waiting:
        waiting = [pair for pair in waiting if not _is_written_alike(*pair)]
    while waiting:
        below = _below(*waiting.pop(), fold)
        if below is None:
            return False
        waiting += below
    return waiting is not None


_CONTAINERS = frozenset({dict, list, tuple})


def _below(left: Any, right: Any, fold: Callable[[str], str] | None) -> list[tuple[Any, Any]] | None:
    """Return the pairs of containers inside both that are still to be compared; None if the two differ already."""
    if isinstance(left, dict):
        if not isinstance(right, dict) or left.keys() != right.keys():
            return None
        pairs: Iterable[tuple[Any, Any]] = zip(left.values(), map(right.__getitem__, left), strict=True)
    else:
        if not isinstance(right, (list, tuple)) or len(left) != len(right):
            return None
        pairs = zip(left, right, strict=True)
    later = []
    for value, counterpart in pairs:
        if type(value) in _CONTAINERS:
            later.append((value, counterpart))
        elif value is not counterpart and not _same_scalar(value, counterpart, fold):
            return None
    return later


def _is_written_alike(left: object, right: object) -> bool:
    """Return whether both are equal by a fast comparison; False may be wrong.

    JSON distinguishes true from 1, Python NaN from null: if neither sees a difference, there is none.
    """
    try:
        return orjson.dumps(left) == orjson.dumps(right) and left == right
    except TypeError:  # nested too deeply, or integers beyond 64 bits
        return False


def _same_scalar(left: object, right: object, fold: Callable[[str], str] | None) -> bool:
    if isinstance(left, str):
        return left == right or (fold is not None and isinstance(right, str) and fold(left) == fold(right))
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, float) and isinstance(right, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return _decimal(left) == _decimal(right)
    return type(left) is type(right) and left == right


def _decimal(number: float) -> Decimal | int:
    """Return the exact value of the number's shortest text: 10**23 for 1e23, although its binary value differs."""
    return Decimal(repr(number)) if isinstance(number, float) else number
