"""Decodes the results of tools: JSON, the repr of a Python object, and envelopes that only contain another result."""

from __future__ import annotations

import ast
import re
from typing import Any, Final

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
    "body",
)
_EMPTY_ERRORS: Final = frozenset({"error", "errors", "isError", "is_error"})
_REPR: Final = re.compile(r"\s*[\[{]\s*(?:'|\{\s*')")


def decode_result(result: str) -> object:
    """Return the data of a result that is JSON or the repr of a Python object, without envelopes; else the text."""
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
    """Return the content of an envelope (MCP content, `{"result": …}`, also with an empty `error`), else the value."""
    if isinstance(value, list):
        return _text_of_parts(value)
    if not isinstance(value, dict):
        return value
    if value.get("isError") is False and isinstance(value.get("content"), list):
        return _text_of_parts(value["content"])
    keys = [key for key in value if key not in _EMPTY_ERRORS or value[key]]
    if len(keys) == 1 and keys[0] in _WRAPPERS and isinstance(value[keys[0]], (str, dict, list)):
        return value[keys[0]]
    return value


def _text_of_parts(parts: list[Any]) -> object:
    is_text = bool(parts) and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts)
    return "\n".join(part["text"] for part in parts) if is_text else parts
