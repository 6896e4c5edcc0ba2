"""What a call asks, as a value that can be looked up: comparing each call with every other would take too long."""

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
    """Return the same for two calls of one tool that `matcher` takes for the same, and for no others.

    None where such a value does not exist: by a function, a subset or a superset the first may be the same as the
    second, the second as the third, and the first not as the third.
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
    """Return the arguments, flat: equal where `matching.same` takes them for equal. Nesting costs no stack."""
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
