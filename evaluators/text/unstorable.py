"""Finds what a value has that cannot be written as JSON, and read again as the same value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

__all__ = ["find_unstorable"]

_DEEPEST: Final = 100
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1

Keys: TypeAlias = tuple[str | int, ...]


def find_unstorable(value: object) -> tuple[Keys, str] | None:
    """Return the keys of the first part of a value that cannot be stored, and what to do about it; None if all can be.

    These are whole numbers of more than 64 bits, numbers that are not finite, bytes, half characters (lone surrogates
    of UTF-16), keys that are not text, and what is nested too deeply.
    """
    waiting: list[tuple[Keys, Any]] = [((), value)]
    while waiting:
        keys, part = waiting.pop()
        if len(keys) > _DEEPEST:
            return keys[:1], f"it is nested more than {_DEEPEST} levels deep; write the inner parts as text"
        if (fault := _explain(part)) is not None:
            return keys, fault
        waiting += reversed([((*keys, key), inner) for key, inner in _list_parts(part)])
    return None


def _list_parts(value: object) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, BaseModel):
        yield from value
    elif isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, (list, tuple)):
        yield from enumerate(value)


def _explain(value: object) -> str | None:
    """Return why a value itself cannot be stored, whatever is in it."""
    if isinstance(value, Mapping):
        faults = (_explain_key(key) for key in value)
        return next((fault for fault in faults if fault is not None), None)
    if isinstance(value, int):
        return None if _SMALLEST <= value <= _LARGEST else "it has more than 64 bits; write it as text"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"it is {value}; write a number that is finite, or leave it out"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "it is binary; write text, for example in base64"
    return _explain_text(value) if isinstance(value, str) else None


def _explain_key(key: object) -> str | None:
    if not isinstance(key, str):
        return f"a key in it is {type(key).__name__}; write text"
    return None if _explain_text(key) is None else "a key in it has half a character (a lone surrogate of UTF-16)"


def _explain_text(text: str) -> str | None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = f"character {error.start + 1:,}"
        return f"{place} is half a character (a lone surrogate of UTF-16), which is not text; leave it out"
    return None
