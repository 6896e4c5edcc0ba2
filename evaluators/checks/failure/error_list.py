"""Recognises lists of nothing but errors, which a tool returns instead of its result."""

from __future__ import annotations

from typing import Any

from ...model import JsonObject
from .fields import (
    ENVELOPE,
    ERROR_KEYS,
    ITEM,
    NAMED_CODE_KEYS,
    SEVERE,
    Source,
    has_message,
    is_state,
    read_fields,
    tells_error,
)

__all__ = ["lists_errors", "lists_faulty_fields"]


def lists_errors(value: list[Any], source: Source) -> bool:
    """Return whether all items are errors: `[{"error": …}]`, or codes with messages and nothing else."""
    if not value or not all(isinstance(item, dict) for item in value):
        return False
    is_reader = source.kind in {"probe", "reader"}
    if source.kind == "checker" or (is_reader and source.brings_documents):
        return False
    if lists_faulty_fields(value):
        return True
    if is_reader:
        return _lists_coded_errors(value)
    return all(_is_error(read_fields(item), source) for item in value)


def _is_error(item: JsonObject, source: Source) -> bool:
    if item.keys() - ENVELOPE - {"fields"}:
        return False
    if any(key in ERROR_KEYS and tells_error(part) for key, part in item.items()) or "errorcode" in item:
        return True
    return source.kind == "writer" and is_state(item.get("severity"), SEVERE) and "id" not in item


def _lists_coded_errors(items: list[Any]) -> bool:
    """Return whether each item is an error code with a message and nothing else: with a time or a service it is a log
    entry."""
    return all(
        not fields.keys() - ITEM and has_message(fields) and not NAMED_CODE_KEYS.isdisjoint(fields)
        for fields in map(read_fields, items)
    )


def lists_faulty_fields(items: list[Any]) -> bool:
    """Return whether each item names a place in the arguments and its fault, as in pydantic: `{"loc": …, "msg": …}`."""
    return all(isinstance(item, dict) and {"loc", "msg"} <= item.keys() for item in items)
