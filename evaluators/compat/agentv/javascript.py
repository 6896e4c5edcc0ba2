"""Compares JSON as JavaScript does: every number is a double, a boolean is not a number, NaN equals nothing."""

from __future__ import annotations

import math
from typing import Any, Final

__all__ = ["MISSING", "is_deep_equal", "value_at"]

MISSING: Final = object()
"""`undefined`: equal to no JSON value."""


def is_deep_equal(first: Any, second: Any) -> bool:
    """Return whether two JSON values have equal leaves in the same places, in any order of keys. Not recursive."""
    if not isinstance(first, (dict, list, tuple)):
        return _is_strictly_equal(first, second)
    waiting = [(first, second)]
    while waiting:
        left, right = waiting.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            waiting += [(value, right[key]) for key, value in left.items()]
        elif isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            if len(left) != len(right):
                return False
            waiting += zip(left, right, strict=True)
        elif not _is_strictly_equal(left, right):
            return False
    return True


def value_at(value: Any, path: str) -> Any:
    """Return the value at a dotted path, `items.0.name`; MISSING if there is none. A list also has a `length`."""
    for key in path.split("."):
        if isinstance(value, dict):
            value = value.get(key, MISSING)
        elif isinstance(value, (list, tuple)):
            value = _of_list(value, key)
        else:
            return MISSING
    return value


def _of_list(values: list[Any] | tuple[Any, ...], key: str) -> Any:
    if key == "length":
        return len(values)
    is_index = key.isascii() and key.isdigit() and len(key) < 10 and str(int(key)) == key
    return values[int(key)] if is_index and int(key) < len(values) else MISSING


def _is_strictly_equal(first: Any, second: Any) -> bool:
    if isinstance(first, (str, bool)) or isinstance(second, bool):
        return type(first) is type(second) and bool(first == second)
    if isinstance(first, (int, float)) and isinstance(second, (int, float)):
        return _double(first) == _double(second)
    return type(first) is type(second) and bool(first == second)


def _double(number: float) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond 1.8e308
        return math.inf if number > 0 else -math.inf
