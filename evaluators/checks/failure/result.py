"""The result of a tool as data: JSON, the repr of a Python object, and the envelopes that only hold another result."""

from __future__ import annotations

import ast
import re
from typing import Final

import orjson

__all__ = ["decode_result"]

_MOST: Final = 200_000
_MOST_OF_REPR: Final = 10_000
_LEVELS: Final = 4
_WRAPPERS: Final = (
    "result",
    "output",
    "response",
    "content",
    "text",
    "return_value",
    "value",
    "message",
    "detail",
    "body",
)
_REPR: Final = re.compile(r"\s*[\[{]\s*(?:'|\{\s*')")


def decode_result(result: str) -> object:
    """The result as data where it is JSON or the repr of a Python object, without envelopes that only hold it."""
    value: object = result
    for _ in range(_LEVELS):
        value = _unwrapped(_parsed(value)) if isinstance(value, str) else _unwrapped(value)
        if not isinstance(value, str) or not value.lstrip().startswith(("{", "[", '"')):
            break
    return value


def _parsed(text: str) -> object:
    begins = text.lstrip()[:1]
    if begins not in {"{", "[", '"'} or len(text) > _MOST:
        return text
    try:
        return orjson.loads(text)
    except ValueError:
        return _of_repr(text) if len(text) <= _MOST_OF_REPR and _REPR.match(text) else text


def _of_repr(text: str) -> object:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _unwrapped(value: object) -> object:
    """What an envelope holds that says nothing itself: MCP content, `{"result": …}`."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value)
    ):
        return "\n".join(part["text"] for part in value)
    if isinstance(value, dict):
        if len(value) == 1 and (key := next(iter(value))) in _WRAPPERS and isinstance(value[key], (str, dict, list)):
            return value[key]
        if value.get("isError") is False and isinstance(value.get("content"), list):
            return _unwrapped(value["content"])
    return value
