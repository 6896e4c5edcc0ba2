"""Validates only the top level of a tool's schema: required, unexpected, type and enum of the parameters.

This follows the source of Dokimos' `ToolCallValidityEvaluator`, including its quirks: null fails whenever there is a
type, 3.0 is not an integer, unions of types accept everything but null, and in an enum 4 differs from 4.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...model import JsonObject
from .unfolding import Unsafe

__all__ = ["one_level_faults"]

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}
_LONG = 2**63


def one_level_faults(schema: JsonObject, args: JsonObject, *, strict: bool = False) -> tuple[str, ...]:
    """Return the faults of `args`, a short phrase each. Raises Unsafe."""
    return tuple(_faults(schema, args, strict=strict))


def _faults(schema: JsonObject, args: JsonObject, *, strict: bool) -> Iterator[str]:
    declared = schema.get("properties")
    properties: JsonObject = declared if isinstance(declared, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if not (isinstance(name, str) and name in args):
            yield f"{name!r} is missing"
    if properties and (strict or schema.get("additionalProperties") is False):
        yield from (f"unexpected {name!r}" for name in args if name not in properties)
    for name, value in args.items():
        rule = properties.get(name)
        if isinstance(rule, dict):
            yield from _value_faults(name, value, rule)


def _value_faults(name: str, value: object, rule: JsonObject) -> Iterator[str]:
    if "type" in rule and not _is_of(rule["type"], value):
        yield f"{name}: the value is not of type {rule['type']!r}"
    options = rule.get("enum")
    if isinstance(options, list) and _spelled(value) not in map(_spelled, options):
        yield f"{name}: the value is not one of its enum"


def _is_of(word: object, value: object) -> bool:
    if value is None:
        return False
    types = _TYPES.get(word) if isinstance(word, str) else None
    if types is None:
        return True
    if isinstance(value, bool):
        return bool in types
    if word == "integer":
        return isinstance(value, int) and -_LONG <= value < _LONG
    return isinstance(value, types)


def _spelled(value: object) -> str:
    """Return the JSON of a value: values are equal if their JSON is."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError as error:
        raise Unsafe("cannot be applied: the arguments are nested too deeply") from error
