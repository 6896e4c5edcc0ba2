"""The different keys of formats for the same field, and functions that read its value."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from ..model import JsonObject, ToolCall
from ..model.value import Value
from ..text.json_kind import json_kind

__all__ = [
    "ARGS",
    "IDS",
    "NAMES",
    "RESULTS",
    "SCHEMAS",
    "Unreadable",
    "amount",
    "arguments",
    "entries",
    "first",
    "record",
    "refuse_misspelt",
    "text_of",
]

NAMES: Final = ("name", "tool", "tool_name", "toolName")
ARGS: Final = ("args", "arguments", "input", "input_parameters", "inputParameters", "parameters")
RESULTS: Final = ("result", "output")
IDS: Final = ("id", "tool_call_id", "call_id", "toolCallId")
SCHEMAS: Final = ("parameters", "input_schema", "inputSchema", "parameters_json_schema", "parametersJsonSchema")


class Unreadable(ValueError):
    """A value is not what the format requires; the message names its place, and what to write."""


def first(item: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """Return the value of the first of `keys` that is present and not null; None if there is none."""
    return next((item[key] for key in keys if item.get(key) is not None), None)


def entries(value: object, place: str) -> Sequence[object]:
    """Return `value`, which must be a list or tuple. Raises Unreadable."""
    if not isinstance(value, (list, tuple)):
        raise Unreadable(f"{place} is {json_kind(value)}; write a list")
    return value


def record(value: object, place: str) -> JsonObject:
    """Return `value`, which must be a JSON object, or an object of a client such as OpenAI's. Raises Unreadable."""
    if isinstance(value, BaseModel) and not isinstance(value, Value):
        return value.model_dump(mode="json", exclude_none=True)
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise Unreadable(f"{place} is {json_kind(value)}; write an object whose keys are text")
    return value


def refuse_misspelt(item: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Raise Unreadable for a key that differs from one of the `known`, which is absent, in a letter or two."""
    for key in item:
        meant = None if key in known else next(iter(difflib.get_close_matches(str(key), known, n=1, cutoff=0.88)), None)
        if meant is not None and meant not in item:
            raise Unreadable(f"{place} has an unknown key {key!r} (did you mean {meant!r}?)")


def amount(item: Mapping[str, Any], key: str, place: str = "") -> float | None:
    """Return the number under `key` of the item at `place`; None if it is missing or null.

    Raises Unreadable if it is not a finite number of 0 or more.
    """
    value, where = item.get(key), f"{place}.{key}" if place else key
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unreadable(f"{where} is {json_kind(value)}; write a number")
    if not 0 <= value <= sys.float_info.max:
        raise Unreadable(f"{where} is negative or not finite; write a number from 0")
    return float(value)


def text_of(value: object) -> str | None:
    """Return a result as text: text as it is, anything else as JSON; None for None."""
    if value is None or isinstance(value, str):
        return value
    try:
        return ToolCall.result_json(value)
    except ValueError:  # NaN, or an object of Python
        return _by_python(value)


def _by_python(value: object) -> str:
    try:
        return json.dumps(value, default=str, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise Unreadable("a value cannot be written as JSON: nested too deeply, or too long a number") from error


def arguments(value: object) -> JsonObject | str | None:
    """Return arguments, an object or its JSON text, as an object; other values as text; None if not recorded."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return text_of(value)
    if not value.strip():
        return None
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if read is None:
        return None
    return read if isinstance(read, dict) else value
