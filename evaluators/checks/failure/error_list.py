"""Recognises lists of nothing but errors, which a tool returns instead of its result."""

from __future__ import annotations

from typing import Any, Final

from ...model import JsonObject
from .fields import (
    ENVELOPE,
    ERROR_KEYS,
    ISSUES_KEYS,
    ITEM,
    NAMED_CODE_KEYS,
    SEVERE,
    Source,
    error_name_of,
    has_message,
    is_state,
    read_fields,
    tells_error,
)

__all__ = ["find_severe_issue", "lists_errors", "lists_faulty_fields"]


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


_OF_ISSUES: Final = frozenset({"severity", "category", "level", "text", "status", "id", "number", "source", "target"})


def find_severe_issue(fields: JsonObject, source: Source) -> str | None:
    """Return the name of an issue that is severe, "" if it has none, where an answer consists of issues; else None."""
    key = next((key for key in ISSUES_KEYS if key in fields), None)
    if key is None or fields.keys() - ENVELOPE - {key, "transactionstatus", "messagecount"}:
        return None
    issues = fields[key] if isinstance(fields[key], list) else [fields[key]]
    items = [read_fields(issue) for issue in issues if isinstance(issue, dict)]
    if len(items) < len(issues) or (key == "messages" and (source.kind != "writer" or not all(map(_is_issue, items)))):
        return None
    severe = next((item for item in items if _is_severe(item)), None)
    return None if severe is None else error_name_of(severe) or ""


def _is_issue(item: JsonObject) -> bool:
    return not item.keys() - ITEM - _OF_ISSUES


def _is_severe(item: JsonObject) -> bool:
    if any(is_state(item.get(key), SEVERE) for key in ("severity", "category", "level", "type")):
        return True
    # BAPIRET2 of SAP has one letter; SMS gateways count a status up from 0
    return item.get("type") in {"E", "A"} or any(key in ERROR_KEYS and tells_error(part) for key, part in item.items())
