"""The values that an invalid argument may have been meant as, by rules with names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any, Final, NamedTuple, TypeAlias

import jsonschema_rs
import orjson

from ...model import JsonObject
from ..failure.shipped import read_patterns
from .schema import place_of
from .subschema import is_bare_object, property_of, schema_at, takes_null

__all__ = ["DROP", "ArgumentRules", "Path", "Reading", "is_redacted", "readings", "value_at"]

Path: TypeAlias = tuple[str | int, ...]

DROP: Final = object()
"""The value of a reading that removes the property."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?")
_REDACTED: Final = re.compile(
    r"\W*(?:redacted|masked|filtered|scrubbed|anonymi[sz]ed|omitted|hidden)\W*|[*•█]{3,}", re.IGNORECASE
)
_BOOLEANS: Final = {"true": True, "false": False}
_LONG: Final = 2**63
_LONGEST_FAILURE: Final = 4_000


@dataclass(frozen=True, slots=True)
class ArgumentRules:
    """Which rules are on, and the outcome of the call that they apply to."""

    encoded_twice: bool
    null_is_absent: bool
    coercion: bool
    worked: bool
    failure: str = ""
    """The text of the call's failure. A property that it names is never changed."""

    @property
    def rejects_text(self) -> bool:
        """Whether the failure says that a text was passed where an object or a list is needed."""
        return read_patterns(__package__, "wrong_type.txt").search(self.failure[:_LONGEST_FAILURE]) is not None

    def may_change(self, path: Path) -> bool:
        """Return whether the failure of the call does not name the property at `path`."""
        name = next((step for step in reversed(path) if isinstance(step, str)), "")
        return not name or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.failure) is None


class Reading(NamedTuple):
    """One reading of the value at a path. `below`: it may have errors of its own on deeper levels."""

    note: str
    path: Path
    value: Any
    below: bool = False


def readings(
    error: jsonschema_rs.ValidationError, args: JsonObject, schema: JsonObject, rules: ArgumentRules
) -> Iterator[Reading]:
    """Yield the readings of the value that `error` is about. Their notes are `rule: place: what for what`."""
    path = tuple(error.instance_path)
    match error.kind:
        case jsonschema_rs.ValidationErrorKind.Required(property=name):
            if rules.null_is_absent:
                yield from _absent((*path, name), property_of(schema, error.schema_path[:-1], name))
            return
    if not path:
        return
    value, place = value_at(args, path), place_of(path)
    if value is None and rules.null_is_absent and isinstance(path[-1], str):
        yield Reading(f"null_is_absent: {place}: null for an optional property", path, DROP)
    decodes = rules.encoded_twice and not rules.rejects_text
    if isinstance(value, str) and decodes and (inside := _container(value)) is not None:
        yield Reading(f"encoded_twice: {place}: JSON in a text", path, inside, below=True)
    if rules.coercion and rules.worked:
        yield from (
            Reading(f"coercion: {place}: {coercion}", path, read) for coercion, read in _coerced(value, error, schema)
        )


def _absent(path: Path, declared: JsonObject | None) -> Iterator[Reading]:
    """Yield null and the default of an absent property, if allowed: strict schemas list every property as required."""
    if declared is not None and takes_null(declared):
        yield Reading(f"null_is_absent: {place_of(path)}: absent, and null is allowed", path, None)
    if declared is not None and "default" in declared:
        yield Reading(f"null_is_absent: {place_of(path)}: absent, and has a default", path, declared["default"])


def _coerced(value: Any, error: jsonschema_rs.ValidationError, schema: JsonObject) -> Iterator[tuple[str, Any]]:
    if value is None or isinstance(value, (dict, list)):
        return
    yield from _scalars(value)
    if is_bare_object(schema_at(schema, error.schema_path[:-1])):
        yield "the schema says no more than object", {}
    match error.kind:
        case jsonschema_rs.ValidationErrorKind.Format(format=format_):
            if (valid := _valid_time(value, format_)) is not None:
                yield f"ISO 8601 for {format_}", valid


def _scalars(value: str | float) -> Iterator[tuple[str, Any]]:
    """Yield the same scalar in other types, without loss, each with a note."""
    if isinstance(value, bool):
        yield "a boolean for a text", str(value).lower()
    elif isinstance(value, (int, float)):
        yield "a number for a text", orjson.dumps(value).decode() if abs(value) < _LONG else str(value)
        if value in {0, 1}:
            yield "a number for a boolean", bool(value)
    elif value.lower() in _BOOLEANS:
        yield "a text for a boolean", _BOOLEANS[value.lower()]
    elif _NUMBER.fullmatch(value):
        yield "a text for a number", orjson.loads(value)


def _container(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def _valid_time(value: Any, format_: str) -> str | None:
    """Return a text that is valid in the format (RFC 3339) if `value` is a time in ISO 8601; else None."""
    if not isinstance(value, str):
        return None
    try:
        match format_:
            case "date-time":
                return datetime.fromisoformat(value).strftime("%Y-%m-%dT%H:%M:%SZ")
            case "date":
                return datetime.fromisoformat(value).date().isoformat()
            case "time":
                return time.fromisoformat(value).strftime("%H:%M:%SZ")
    except ValueError:
        return None
    return None


def is_redacted(value: Any) -> bool:
    """Return whether `value` is the placeholder of a redacted value: `[REDACTED]`, `***`."""
    return isinstance(value, str) and _REDACTED.fullmatch(value.strip()) is not None


def value_at(value: Any, path: Path) -> Any:
    """Return the value at `path` in `value`. Raises LookupError if there is none."""
    for step in path:
        value = value[step]
    return value
