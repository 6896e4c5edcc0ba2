"""Validates the arguments of a call, with obvious variants of values accepted as the tool may have read them.

A reading is tried for each error of the schema, and kept if it removes that error and causes no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import jsonschema_rs
import orjson

from ...model import JsonObject
from .readings import DROP, ArgumentRules, Path, Reading, is_redacted, readings, value_at
from .schema import DOES_NOT_FIT, MAX_FAULTS, Compiled, phrase, place_of

__all__ = ["Checked", "Unrecorded", "check", "decoded", "opens_json"]

MAX_CHANGES: Final = 50
MAX_ATTEMPTS: Final = 100  # each validates the arguments once: at worst half a second for one call


class Unrecorded(Exception):
    """The trace does not record enough to decide whether the call is valid. The message says what is missing."""


class Checked(NamedTuple):
    """The faults of some arguments, and a note (`rule: place: what for what`) for each rule that was applied."""

    faults: tuple[str, ...]
    notes: tuple[str, ...] = ()


def check(compiled: Compiled, args: JsonObject, rules_of_call: Callable[[], ArgumentRules]) -> Checked:
    """Return the faults of `args`, and the notes of the rules that were applied. Raises Unsafe, and Unrecorded."""
    errors = compiled.errors(args)
    if errors is not None and not errors:
        return Checked(())
    rules = rules_of_call()
    notes: list[str] = []
    attempts = MAX_ATTEMPTS
    while errors and len(notes) < MAX_CHANGES:
        for reading, error in _try_readings(errors, args, compiled.schema, rules):
            attempts -= 1
            changed = _changed(args, reading.path, reading.value)
            after = compiled.errors(changed)
            if after is not None and _helps(reading, error, before=errors, after=after):
                args, errors = changed, after
                notes.append(reading.note)
                break
            if not attempts:
                return _checked(errors, args, notes)
        else:
            break
    return _checked(errors, args, notes)


def decoded(text: str) -> JsonObject | None:
    """Return the object in a text of JSON, encoded once or twice; {} for blank text or null, None for anything else."""
    value: Any = text
    for _ in range(2):
        if not isinstance(value, str):
            break
        if not value.strip():
            return {}
        try:
            value = orjson.loads(value)
        except ValueError:
            return None
    return {} if value is None else value if isinstance(value, dict) else None


def opens_json(text: str) -> bool:
    """Return whether `text` begins like a JSON object, list or text."""
    return text.lstrip().startswith(("{", "[", '"'))


def _checked(errors: Sequence[jsonschema_rs.ValidationError] | None, args: JsonObject, notes: Sequence[str]) -> Checked:
    if errors is None:
        return Checked((DOES_NOT_FIT,))
    read = [error for error in errors if not is_redacted(value_at(args, tuple(error.instance_path)))]
    if errors and not read:
        raise Unrecorded(f"{place_of(errors[0].instance_path)} was redacted")
    return Checked(tuple(dict.fromkeys(map(phrase, read[:MAX_FAULTS]))), tuple(notes))


def _try_readings(
    errors: Sequence[jsonschema_rs.ValidationError], args: JsonObject, schema: JsonObject, rules: ArgumentRules
) -> Iterator[tuple[Reading, jsonschema_rs.ValidationError]]:
    for error in errors:
        tried: set[tuple[Path, str]] = set()  # the branches of a union suggest the same readings
        for inner in (error, *_branches(error)):
            for reading in readings(inner, args, schema, rules):
                if (reading.path, reading.note) not in tried and rules.may_change(reading.path):
                    tried.add((reading.path, reading.note))
                    yield reading, error


def _branches(error: jsonschema_rs.ValidationError) -> Iterator[jsonschema_rs.ValidationError]:
    """Yield the errors in the branches of an `anyOf` or `oneOf` of which no branch is valid."""
    match error.kind:
        case (
            jsonschema_rs.ValidationErrorKind.AnyOf(context=branches)
            | jsonschema_rs.ValidationErrorKind.OneOfNotValid(context=branches)
        ):
            yield from (inner for branch in branches for inner in branch)


def _helps(
    reading: Reading,
    error: jsonschema_rs.ValidationError,
    *,
    before: Sequence[jsonschema_rs.ValidationError],
    after: Sequence[jsonschema_rs.ValidationError],
) -> bool:
    """Return whether `error` is gone and no other has appeared, except below the changed place if `reading.below`."""
    left = {_key(other): tuple(other.instance_path) for other in after}
    if _key(error) in left:
        return False
    known = set(map(_key, before))
    fresh = [path for key, path in left.items() if key not in known]
    size = len(reading.path)
    return all(reading.below and len(path) > size and path[:size] == reading.path for path in fresh)


def _key(error: jsonschema_rs.ValidationError) -> tuple[object, ...]:
    return tuple(error.instance_path), tuple(error.schema_path), getattr(error.kind, "property", None)


def _changed(value: Any, path: Path, to: Any) -> Any:
    """Return a copy of `value` with another value at `path`, or without it."""
    if not path:
        return to
    step, rest = path[0], path[1:]
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    if to is DROP and not rest:
        del copy[step]
    else:
        copy[step] = _changed(copy[step] if rest else None, rest, to)
    return copy
