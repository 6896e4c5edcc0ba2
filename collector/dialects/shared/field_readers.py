"""Reads the values of attributes into the fields of a step, in the spellings of all instrumentations."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeAlias

from tracegrade.evaluators.model import Message

from ...spans.envelopes import result_text
from ...spans.step import Usage
from ...spans.values import (
    TRUNCATED,
    UNEXPECTED,
    as_count,
    as_object,
    as_text,
    decode_text,
    find_unread_reason,
    is_placeholder,
    looks_truncated,
)
from .content import read_content
from .messages import messages, system_message
from .parts import read_arguments
from .tool_definitions import read_definitions, schema_of
from .usage import read_usage

__all__ = ["READERS", "Reader", "find_gap", "read_name"]

Reader: TypeAlias = Callable[[Any], Any]

_UNNAMED = frozenset({"unknown", "<not specified>", "None"})
"""Values that instrumentations write instead of an unknown name or id."""

_EMPTY = ("", [], {}, "null", "{}", "[]", *_UNNAMED)
"""Values without content, of any type."""

_NULL = "null"
_NOTHING: tuple[Any, ...] = (_NULL, "{}", "[]", {}, [])
"""Values of arguments that a function did not get."""

_CONTENT = frozenset(
    {"instructions", "input", "output", "input_value", "output_value", "definitions", "args", "result"}
)


def find_gap(field: str, value: Any) -> str | None:
    """Return the gap that an unreadable value leaves for `field`; None if the value is empty."""
    if field in _CONTENT:
        return None if value in _NOTHING else find_unread_reason(value)
    is_empty = value is None or value in _EMPTY or is_placeholder(value)
    if is_empty or (field == "usage" and as_object(value) is not None):
        return None
    return TRUNCATED if looks_truncated(value) else UNEXPECTED


def read_name(value: Any) -> str | None:
    """Return a name or an id; numeric ids may be recorded as numbers."""
    if isinstance(value, str):
        return value if value and value not in _UNNAMED else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _read_flag(value: Any) -> bool | None:
    """Return True where it is set: the conventions never write false."""
    return True if value is True or value == "true" else None


def _read_finish_reasons(value: Any) -> tuple[str, ...] | None:
    """Return finish reasons from a list, the JSON of one, or a comma-joined text."""
    decoded = decode_text(value)
    if isinstance(decoded, str):
        decoded = decoded.split(",")
    if not isinstance(decoded, list):
        return None
    return tuple(str(reason) for reason in decoded if reason) or None


def _read_number(value: Any) -> float | None:
    """Return a finite number, also from a text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _read_milliseconds(seconds: Any) -> float | None:
    number = _read_number(seconds)
    return None if number is None else number * 1000


def _read_cost(value: Any) -> float | None:
    """Return money in US dollars from a number, a text with a number, or an object with a total."""
    amounts = as_object(value)
    amount = amounts.get("total", amounts.get("total_cost")) if amounts is not None else value
    return _read_number(amount)


def _read_input(value: Any) -> tuple[Message, ...] | None:
    """Return the messages of an input; a single text is the user's."""
    turns = messages(value)
    is_alone = turns is not None and len(turns) == 1 and turns[0].role == "unknown"
    return messages(value, "user") if is_alone else turns


def _read_output(value: Any) -> tuple[Message, ...] | None:
    return messages(value, "assistant")


def _read_input_value(value: Any) -> tuple[Message, ...] | str | None:
    """Return messages or a text; an object without fields asks nothing."""
    return None if value in _NOTHING else read_content(value)


def _read_output_value(value: Any) -> tuple[Message, ...] | str | None:
    return None if value == _NULL else read_content(value)


def _read_result(value: Any) -> str | None:
    return None if is_placeholder(value) else result_text(value)


READERS: dict[str, Reader] = {
    "is_compacted": _read_flag,
    "prompt_version": as_text,
    "finish_reasons": _read_finish_reasons,
    "time_to_first_token_ms": _read_number,
    "time_to_first_token_s": _read_milliseconds,
    "usage": read_usage,
    "cost_usd": _read_cost,
    **{field: as_count for field in Usage._fields if field != "cost_usd"},
    "instructions": system_message,
    "input": _read_input,
    "output": _read_output,
    "input_value": _read_input_value,
    "output_value": _read_output_value,
    "output_text": as_text,
    "definitions": read_definitions,
    "tool_schema": schema_of,
    "args": read_arguments,
    "result": _read_result,
}
"""How the value of each field is read; any other field is a name."""
