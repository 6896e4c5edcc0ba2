"""Schemas in the dialect of OpenAPI 3.0, which Gemini and some frameworks use instead of JSON Schema.

Source: OpenAPI 3.0.3, Schema Object (`nullable`); Gemini API, `Type` (`STRING`, `OBJECT`, …)
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

import orjson

from ..model import JsonObject

__all__ = ["as_json_schema", "with_small_types"]

_JSON_TYPES: Final = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_NOT_JSON_SCHEMA: Final = re.compile(rf'"nullable":true|"(?:{"|".join(sorted(_JSON_TYPES)).upper()})"'.encode())


def as_json_schema(schema: JsonObject) -> JsonObject:
    """Return `schema` as JSON Schema: with lower-case types, and `nullable: true` as a type that accepts null."""
    try:
        text = orjson.dumps(schema)
    except TypeError:
        return schema
    if not _NOT_JSON_SCHEMA.search(text):
        return schema
    rewritten: JsonObject = _rewritten(schema, nullable=True)
    return rewritten


def with_small_types(schema: JsonObject | None) -> Any:
    """Return `schema` with lower-case types, unchanged if it cannot be written as JSON."""
    return _rewritten(schema, nullable=False)


def _rewritten(schema: Any, *, nullable: bool) -> Any:
    try:
        return json.loads(json.dumps(schema), object_hook=_nullable if nullable else _small)
    except (TypeError, ValueError, RecursionError):
        return schema


def _small(level: JsonObject) -> JsonObject:
    word = level.get("type")
    is_type = isinstance(word, str) and word.isupper() and word.lower() in _JSON_TYPES
    return {**level, "type": str(word).lower()} if is_type else level


def _nullable(level: JsonObject) -> JsonObject:
    level = _small(level)
    if level.get("nullable") is not True or not isinstance(level.get("type"), str):
        return level
    options = level.get("enum")
    taken = {"enum": [*options, None]} if isinstance(options, list) else {}
    return {**level, "type": [level["type"], "null"], **taken}
