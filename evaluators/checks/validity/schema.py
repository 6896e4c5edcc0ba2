"""Tool definitions as JSON Schema validators that cannot hang, overflow or access anything else.

Definitions come from traces and may be hostile. Only the definition itself is read: other documents are never fetched.
Patterns run on an engine that never backtracks (so without look-around), and validations that would cost too much raise
Unsafe. Drafts 4 to 2020-12 by `$schema`; 2020-12 without one, as in MCP. Formats are checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NoReturn

import jsonschema_rs
import orjson

from ...model import JsonObject
from .unfolding import MAX_DEPTH, Unfolded, Unsafe, unfolded, work

__all__ = ["DOES_NOT_FIT", "MAX_FAULTS", "Compiled", "Unsafe", "compiled", "phrase", "place_of"]

MAX_SCHEMA_BYTES: Final = 128 * 1024
MAX_VALUES: Final = 100_000
MAX_PATTERN_CHARS: Final = 5_000  # about 0.1 s for the worst pattern that fits into PATTERN_BYTES
MAX_FAULTS: Final = 10
MAX_ERRORS: Final = 50
PATTERN_BYTES: Final = 256 * 1024
CHEAP_STEPS: Final = 20_000  # up to this upper bound the steps are not counted one by one
EXPLAINED_STEPS: Final = 50_000  # naming the faults copies the faulty parts: steps times weight, about 0.1 s

DOES_NOT_FIT: Final = "the arguments do not fit the schema"

_APPLICATORS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"})
_OLD_DRAFTS = ("draft-04", "draft-06", "draft-07")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A definition's schema, compiled to validate arguments."""

    validator: jsonschema_rs.Validator
    schema: JsonObject
    size: Unfolded
    is_recursive: bool
    cheap_bytes: int  # arguments of at most so many bytes are validated without counting steps

    def faults(self, args: JsonObject) -> tuple[str, ...]:
        """Return the faults of `args`, at most MAX_FAULTS short phrases; empty if they are valid. Raises Unsafe."""
        errors = self.errors(args)
        if errors is None:
            return (DOES_NOT_FIT,)
        return tuple(dict.fromkeys(map(phrase, errors[:MAX_FAULTS])))

    def errors(self, args: JsonObject) -> list[jsonschema_rs.ValidationError] | None:
        """Return the errors in `args`, at most MAX_ERRORS; None if there are errors that cost too much to name.

        Raises Unsafe.
        """
        self._afford(args)
        try:
            if self.validator.is_valid(args):
                return []
            if not self._can_explain(args):
                return None
            return list(islice(self.validator.iter_errors(args), MAX_ERRORS))
        except (ValueError, OverflowError, TypeError) as error:
            raise Unsafe("cannot be applied: the arguments are not JSON") from error

    def _afford(self, args: JsonObject) -> None:
        """Raise Unsafe if validating `args` costs too much: by an upper bound, else counted step by step."""
        if _bytes(args) <= self.cheap_bytes:
            return
        weight = _weight(args)
        if not self.is_recursive and not self.size.patterns and self.size.steps * weight <= CHEAP_STEPS:
            return
        if work(self.schema, args).pattern_chars > MAX_PATTERN_CHARS:
            raise Unsafe(f"tests patterns on more than {MAX_PATTERN_CHARS:,} characters")

    def _can_explain(self, args: JsonObject) -> bool:
        """Return whether the faults can be named in at most EXPLAINED_STEPS."""
        try:
            weight = _weight(args)
            if self.size.steps * weight**2 <= EXPLAINED_STEPS:
                return True
            return work(self.schema, args).steps * weight <= EXPLAINED_STEPS
        except Unsafe:
            return False


def compiled(schema: JsonObject, *, strict: bool = False) -> Compiled:
    """Return the validator of `schema`, cached by content. `strict` closes a schema that is open only by default.

    Raises Unsafe if the schema is broken, refers to other documents or costs too much; the message completes `its
    schema ...`.
    """
    try:
        text = orjson.dumps(schema)
    except TypeError as error:
        raise Unsafe("cannot be written as JSON") from error
    if len(text) > MAX_SCHEMA_BYTES:
        raise Unsafe(f"is larger than {MAX_SCHEMA_BYTES // 1024} KB")
    validator = _compiled(text, strict)
    if isinstance(validator, str):
        raise Unsafe(validator)
    return validator


@lru_cache(maxsize=256)
def _compiled(text: bytes, strict: bool) -> Compiled | str:  # noqa: FBT001 - lru_cache is faster by position
    """Return the validator, or why there is none, so that both are cached."""
    schema: JsonObject = orjson.loads(text)
    if strict:
        schema = _closed(schema)
    try:
        size, is_recursive = unfolded(schema)
        return Compiled(_validator(schema), schema, size, is_recursive, _cheap_bytes(size, is_recursive=is_recursive))
    except Unsafe as refusal:
        return str(refusal)
    except ValueError as error:
        return _broken(str(error).partition("\n")[0])


def _broken(message: str) -> str:
    if '"regex"' in message:
        return "has a pattern that is invalid, too large, or looks around (which needs backtracking)"
    return f"is not a valid JSON Schema: {message[:160]}"


def _cheap_bytes(size: Unfolded, *, is_recursive: bool) -> int:
    if is_recursive:
        return 0
    by_steps = CHEAP_STEPS // size.steps
    return min(by_steps, MAX_PATTERN_CHARS // size.patterns) if size.patterns else by_steps


def _validator(schema: JsonObject) -> jsonschema_rs.Validator:
    return _draft(schema)(
        schema,
        validate_formats=True,
        mask="the value",  # faults name places and rules, never what was passed
        retriever=_refuse,
        pattern_options=jsonschema_rs.RegexOptions(size_limit=PATTERN_BYTES, dfa_size_limit=PATTERN_BYTES),
    )


def _draft(schema: JsonObject) -> type[jsonschema_rs.Validator]:
    """Return the validator of the draft that `$schema` names; that of the newest draft for an unknown one."""
    try:
        return jsonschema_rs.validator_cls_for(schema)
    except ValueError:
        return jsonschema_rs.Draft202012Validator


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not fetched")


def _closed(schema: JsonObject) -> JsonObject:
    """Return `schema` closed for unknown parameters, unless it mentions them itself or declares no parameters."""
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return schema
    if "properties" not in schema and _APPLICATORS.isdisjoint(schema):
        return schema
    is_old = any(draft in str(schema.get("$schema")) for draft in _OLD_DRAFTS)
    return {**schema, ("additionalProperties" if is_old else "unevaluatedProperties"): False}


def _bytes(args: JsonObject) -> int:
    """Return an upper bound of the number of values and characters in `args`."""
    try:
        return len(orjson.dumps(args))
    except TypeError:  # nested too deeply, or integers beyond 64 bits
        return CHEAP_STEPS + 1  # more than CHEAP_STEPS, so never cheap


def _weight(args: JsonObject) -> int:
    """Return the number of values in `args`, plus one for each 64 characters.

    Raises Unsafe beyond MAX_DEPTH or MAX_VALUES.
    """
    values = chars = depth = 0
    level: list[Any] = [args]
    while level:
        depth += 1
        values += len(level)
        if depth > MAX_DEPTH or values > MAX_VALUES:
            raise Unsafe(f"is not applied to arguments of more than {MAX_DEPTH} levels or {MAX_VALUES:,} values")
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                chars += len(value)
            elif isinstance(value, dict):
                chars += sum(map(len, value))
                below += value.values()
            elif isinstance(value, list):
                below += value
        level = below
    return values + chars // 64


def phrase(error: jsonschema_rs.ValidationError) -> str:
    """Return a short text of the fault and its place, never of the value."""
    place = place_of(error.instance_path)
    match error.kind:
        case jsonschema_rs.ValidationErrorKind.Required(property=name):
            return f"{name!r} is missing{f' in {place}' if place else ''}"
        case (
            jsonschema_rs.ValidationErrorKind.AdditionalProperties(unexpected=names)
            | jsonschema_rs.ValidationErrorKind.UnevaluatedProperties(unexpected=names)
        ):
            return f"unexpected {', '.join(map(repr, names[:3]))}{f' in {place}' if place else ''}"
    return f"{place or 'arguments'}: {error.message[:160]}"


def place_of(path: Sequence[str | int]) -> str:
    """Return a path as text: `items[0].price`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
