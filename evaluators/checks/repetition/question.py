"""The question of a call as a hashable value: to compare each call with every other would take too long."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import Any, Final

from ...matching import ArgumentMatcher
from ...model import JsonObject, ToolCall

__all__ = ["question_of"]

_ANY: Final = ("any arguments",)


def question_of(call: ToolCall, matcher: ArgumentMatcher) -> Hashable | None:
    """Return a value that is equal for two calls of a tool exactly if `matcher` accepts one for the other.

    None if there is no such value: with a function, a subset or a superset, the first call may match the second and the
    second the third, but not the first the third.
    """
    if matcher.custom is not None:
        return None
    if matcher.mode == "ignore":
        return _ANY
    if matcher.mode != "exact":
        return None
    if call.args is None:
        return ("text", call.args_text)
    return _flatten(call.args, matcher.folding)


def _flatten(args: JsonObject, fold: Callable[[str], str] | None) -> tuple[Hashable, ...]:
    """Return the arguments as a flat value, equal for those that are equal by `matching.same`. Not recursive."""
    written: list[Hashable] = []
    waiting: list[Any] = [args]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            names = sorted(value)
            written += ("{", len(names), *names)
            waiting += (value[name] for name in reversed(names))
        elif isinstance(value, (list, tuple)):
            written += ("[", len(value))
            waiting += reversed(value)
        else:
            written.append(_scalar(value, fold))
    return tuple(written)


def _scalar(value: Any, fold: Callable[[str], str] | None) -> Hashable:
    if isinstance(value, str):
        return "'" + (fold(value) if fold else value)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else Decimal(repr(value))
    return value if isinstance(value, int) else (type(value), value)
