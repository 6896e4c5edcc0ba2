"""Reads single fields of objects in other systems' files: text, counts, times."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from ..model import JsonObject
from ..text.json_kind import json_kind
from .spelling import Unreadable, entries, record

__all__ = ["count_at", "list_at", "object_at", "text_at", "time_at"]

_MOST: Final = 2**63 - 1


def text_at(item: Mapping[str, Any], key: str, place: str = "") -> str | None:
    """Return the text under `key` of the item at `place`; None if it is missing or null. Raises Unreadable."""
    value = item.get(key)
    if value is None or isinstance(value, str):
        return value
    raise Unreadable(f"{_name(key, place)} is {json_kind(value)}; write text")


def count_at(item: Mapping[str, Any], key: str, place: str = "") -> int | None:
    """Return the whole number from 0 under `key`; None if it is missing or null. Raises Unreadable."""
    value = item.get(key)
    if value is None:
        return None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or not 0 <= value <= _MOST:
        shown = value if isinstance(value, (int, float)) and abs(value) <= _MOST else json_kind(value)
        raise Unreadable(f"{_name(key, place)} is {shown}; write a whole number from 0")
    return int(value)


def time_at(item: Mapping[str, Any], key: str, place: str = "") -> datetime | None:
    """Return the time under `key`, in UTC if it names no zone; None if it is missing or null. Raises Unreadable."""
    value = item.get(key)
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        shown = repr(value) if isinstance(value, str) and len(value) <= 40 else json_kind(value)
        raise Unreadable(f"{_name(key, place)} is {shown}; write a date and time in ISO 8601") from error
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def object_at(item: Mapping[str, Any], key: str, place: str = "") -> JsonObject | None:
    """Return the object under `key`; None if it is missing or null. Raises Unreadable."""
    return None if item.get(key) is None else record(item[key], _name(key, place))


def list_at(item: Mapping[str, Any], key: str, place: str = "") -> list[object]:
    """Return the entries of the list under `key`, none if it is missing or null. Raises Unreadable."""
    return [] if item.get(key) is None else list(entries(item[key], _name(key, place)))


def _name(key: str, place: str) -> str:
    return f"{place}.{key}" if place else key
