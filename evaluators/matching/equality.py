"""Compares JSON values, and arguments in the modes of a reference. Pure; nesting costs no stack."""

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
    """Whether `actual` will do in this mode, with strings compared also after `fold`."""
    if mode == "ignore":
        return True
    if mode == "subset":
        actual = {key: value for key, value in actual.items() if key in expected}
    elif mode == "superset":
        expected = {key: value for key, value in expected.items() if key in actual}
    return same(expected, actual, fold=fold)


def is_comparable(call: ToolCall) -> bool:
    """Whether anything of the call's arguments was recorded."""
    return call.args is not None or call.args_text is not None


def same(left: object, right: object, *, fold: Callable[[str], str] | None = None) -> bool:
    """Whether two JSON values are equal: numbers by their decimal value, strings also after `fold`, NaN to itself.

    A boolean is no number, null is equal to null alone. Nesting costs no stack.
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


def _below(one: Any, other: Any, fold: Callable[[str], str] | None) -> list[tuple[Any, Any]] | None:
    """The pairs of containers in both that are still to be compared; None when the two differ already."""
    if isinstance(one, dict):
        if not isinstance(other, dict) or one.keys() != other.keys():
            return None
        pairs: Iterable[tuple[Any, Any]] = zip(one.values(), map(other.__getitem__, one), strict=True)
    else:
        if not isinstance(other, (list, tuple)) or len(one) != len(other):
            return None
        pairs = zip(one, other, strict=True)
    later = []
    for value, counterpart in pairs:
        if type(value) in _CONTAINERS:
            later.append((value, counterpart))
        elif value is not counterpart and not _same_scalar(value, counterpart, fold):
            return None
    return later


def _is_written_alike(one: object, other: object) -> bool:
    """A fast yes. JSON tells true from 1, Python tells NaN from null; where both see no difference there is none."""
    try:
        return orjson.dumps(one) == orjson.dumps(other) and one == other
    except TypeError:  # nested too deeply, or integers beyond 64 bits
        return False


def _same_scalar(one: object, other: object, fold: Callable[[str], str] | None) -> bool:
    if isinstance(one, str):
        return one == other or (fold is not None and isinstance(other, str) and fold(one) == fold(other))
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return _decimal(one) == _decimal(other)
    return type(one) is type(other) and one == other


def _decimal(number: float) -> Decimal | int:
    """The number that its shortest text names: 1e23 is 10**23, which the binary value next to it is not."""
    return Decimal(repr(number)) if isinstance(number, float) else number
