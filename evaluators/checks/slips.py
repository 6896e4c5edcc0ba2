"""Finds mistakes in a JSON Schema, with their places: unknown types, and required properties that are not defined."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..model import JsonObject
from ..text.suggestions import nearest

__all__ = ["undefined_required", "unknown_types"]

_TYPES: Final = ("string", "number", "integer", "boolean", "array", "object", "null")
_MOST_LEVELS: Final = 1_000
_ONE: Final = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_SEVERAL: Final = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_ELSEWHERE: Final = frozenset({"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "patternProperties"})
"""Keywords that may define a property elsewhere than beside `required`."""
_PARTS: Final = frozenset({"anyOf", "oneOf", "allOf", "if", "then", "else", "not", "dependentSchemas"})


def unknown_types(schema: JsonObject) -> list[str]:
    """Return a text for each unknown type: `properties.city: 'strng' is not a type (did you mean …`."""
    return [
        f"{f'{place}: ' if place else ''}{word!r} is not a type{nearest(word, _TYPES)}; write {', '.join(_TYPES)}"
        for place, level, _ in _levels(schema)
        for word in _words(level.get("type"))
        if word not in _TYPES
    ]


def undefined_required(schema: JsonObject) -> list[str]:
    """Return a text for each name in `required` that is not a property, unless a keyword may define it elsewhere."""
    slips = []
    for place, level, is_whole in _levels(schema):
        required, known = level.get("required"), level.get("properties", {})
        if not is_whole or not isinstance(required, list) or not isinstance(known, dict) or _ELSEWHERE & level.keys():
            continue
        for name in (name for name in required if isinstance(name, str) and name not in known):
            where = f"{place}: " if place else ""
            slips.append(f"{where}{name!r} is required, but no property of that name is defined{nearest(name, known)}")
    return slips


def _words(types: Any) -> list[str]:
    return [word for word in (types if isinstance(types, list) else [types]) if isinstance(word, str)]


def _levels(schema: JsonObject) -> Iterator[tuple[str, JsonObject, bool]]:
    """Yield each schema in `schema` with its place, and whether it is complete: not part of `allOf` and the like."""
    waiting: list[tuple[str, Any, bool]] = [("", schema, True)]
    for _ in range(_MOST_LEVELS):
        if not waiting:
            return
        place, level, is_whole = waiting.pop(0)
        if isinstance(level, dict):
            yield place, level, is_whole
            waiting += _below(place, level, is_whole=is_whole)


def _below(place: str, level: JsonObject, *, is_whole: bool) -> Iterator[tuple[str, Any, bool]]:
    before = f"{place}." if place else ""
    for key in _ONE:
        if isinstance(level.get(key), dict):
            yield f"{before}{key}", level[key], is_whole and key not in _PARTS
    for key in _SEVERAL:
        if isinstance(level.get(key), list):
            yield from (
                (f"{before}{key}[{at}]", subschema, key not in _PARTS) for at, subschema in enumerate(level[key])
            )
    for key in _NAMED:
        if isinstance(level.get(key), dict):
            yield from (
                (f"{before}{key}.{name}", subschema, key not in _PARTS) for name, subschema in level[key].items()
            )
