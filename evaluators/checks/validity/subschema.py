"""Finds the part of a schema that an error is about, and reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...model import JsonObject

__all__ = ["is_bare_object", "only_parameter", "property_of", "says_nothing", "schema_at", "takes_null"]

_ANNOTATIONS: Final = frozenset(
    {"$comment", "$id", "$schema", "default", "description", "examples", "readOnly", "title", "writeOnly"}
)
_EMPTY_IS_SILENT: Final = frozenset({"$defs", "definitions", "properties", "required"})


def schema_at(schema: JsonObject, steps: Sequence[str | int]) -> JsonObject | None:
    """Return the schema at these steps; None if there is none."""
    part: Any = schema
    for step in steps:
        try:
            part = part[step]
        except (KeyError, IndexError, TypeError):
            return None
    return part if isinstance(part, dict) else None


def property_of(schema: JsonObject, steps: Sequence[str | int], name: str) -> JsonObject | None:
    """Return the schema of the property `name` in the schema at these steps; None if it declares none."""
    return schema_at(schema, (*steps, "properties", name))


def takes_null(schema: JsonObject) -> bool:
    """Return whether `schema` accepts null explicitly. An empty schema accepts it too, but that is not intended."""
    kinds, options = schema.get("type"), schema.get("enum")
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return True
    if isinstance(options, list) and None in options:
        return True
    branches = [branch for key in ("anyOf", "oneOf") for branch in schema.get(key) or ()]
    return any(isinstance(branch, dict) and takes_null(branch) for branch in branches)


def is_bare_object(schema: JsonObject | None) -> bool:
    """Return whether `schema` is only `{"type": "object"}`, as frameworks write for types that they cannot describe."""
    return schema is not None and schema.get("type") == "object" and schema.keys() <= _ANNOTATIONS | {"type"}


def only_parameter(schema: JsonObject | None) -> str | None:
    """Return the name of the only property that `schema` declares, else of the only one that it requires; or None."""
    for key in ("properties", "required"):
        names = list((schema or {}).get(key) or ())
        if len(names) == 1 and isinstance(names[0], str):
            return names[0]
    return None


def says_nothing(schema: JsonObject, *, strict: bool) -> bool:
    """Return whether `schema` accepts any object. With `strict`, an empty list of parameters accepts no parameters."""
    if strict and "properties" in schema:
        return False
    keywords = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
    if keywords.pop("type", "object") != "object":
        return False
    if keywords.pop("additionalProperties", True) not in (True, {}):
        return False
    return all(key in _EMPTY_IS_SILENT and not value for key, value in keywords.items())
