"""Parses the answer of a judge: one JSON object with the fields that were asked for. Raises BadAnswer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from math import isinf
from typing import Any, Final, NoReturn

import jsonschema_rs

from ..definition.dialogue import BadAnswer
from ..model import JsonObject

__all__ = ["REASON", "SCORE", "each_once", "form", "reader", "without_bounds"]

SCORE: Final[JsonObject] = {"type": "number", "minimum": 0, "maximum": 1}
REASON: Final[JsonObject] = {"type": "string"}

_LONGEST_WHY: Final = 200
_BOUNDS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
_READ_FROM_TEXT: Final = frozenset({"number", "integer", "boolean"})
_TRUTHS: Final = {"true": True, "false": False}
_DECIMAL = re.compile(r"[-+]?[0-9]{1,15}(\.[0-9]{1,20})?", re.ASCII)
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)


def form(**fields: JsonObject) -> JsonObject:
    """Return the JSON Schema of an object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}


def without_bounds(wanted: Any) -> Any:
    """Return the form without limits of lengths and numbers, as it is sent: some models refuse a schema that has them.

    The answer must be read with the original form.
    """
    if isinstance(wanted, list):
        return [*map(without_bounds, wanted)]
    if not isinstance(wanted, dict):
        return wanted
    return {key: without_bounds(value) for key, value in wanted.items() if not _is_bound(key, value)}


def _is_bound(key: str, value: Any) -> bool:
    """Return whether a keyword is a bound. A field of an object may have the same name, but its value is a schema."""
    return key in _BOUNDS and not isinstance(value, dict)


def reader(
    wanted: JsonObject,
    check: Callable[[JsonObject], str | None] | None = None,
    tidy: Callable[[JsonObject], JsonObject] | None = None,
) -> Callable[[str], JsonObject]:
    """Return a function that parses an object of the form `wanted`, or raises BadAnswer.

    It tolerates what servers without structured output write: prose and one code fence around the object, further
    fields, which are left out, and numbers and booleans as text. It refuses two objects, an object in a list, a
    truncated one, a repeated key, NaN and infinite numbers. `tidy` replaces the object before it is validated. `check`
    returns a further fault of the object, or None.
    """

    def read(text: str) -> JsonObject:
        fields: JsonObject = _as_asked(_object(text), wanted)
        if tidy:
            fields = tidy(fields)
        fault = _misfit(fields, json.dumps(wanted)) or (check(fields) if check else None)
        if fault:
            raise BadAnswer(fault[:_LONGEST_WHY], text)
        return fields

    return read


def _as_asked(value: Any, wanted: JsonObject) -> Any:
    """Return `value` without fields that `wanted` lacks, and with text parsed where it has a number or boolean."""
    if isinstance(value, dict) and "properties" in wanted:
        fields: JsonObject = wanted["properties"]
        return {name: _as_asked(below, fields[name]) for name, below in value.items() if name in fields}
    if isinstance(value, list) and "items" in wanted:
        return [_as_asked(below, wanted["items"]) for below in value]
    if isinstance(value, str) and wanted.get("type") in _READ_FROM_TEXT:
        return _from_text(value, wanted["type"])
    return value


def _from_text(text: str, type_: str) -> object:
    """Return the number or boolean that `text` spells; `text` if it is neither."""
    if type_ == "boolean":
        return _TRUTHS.get(text.strip().lower(), text)
    if not _DECIMAL.fullmatch(text.strip()):
        return text
    return float(text) if "." in text else int(text)


def each_once(key: str, numbers: Sequence[int]) -> Callable[[Sequence[JsonObject]], str | None]:
    """Return a check that a list of objects has each of `numbers` once under `key`. It returns the fault, or None."""

    def check(objects: Sequence[JsonObject]) -> str | None:
        numbers_given = sorted(item[key] for item in objects)
        if numbers_given == sorted(numbers):
            return None
        return f"it judges {key} {_few(numbers_given)}; it was asked for {_few(sorted(numbers))}"

    return check


def _few(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + (", ..." if len(numbers) > 20 else "") if numbers else "none"


def _object(text: str) -> JsonObject:
    answer = _without_thought(text)
    fenced = _FENCED.findall(answer)
    if len(fenced) == 1:
        answer = fenced[0]
    begin = answer.find("{")
    if begin < 0:
        raise BadAnswer("there is no JSON object in it", text)
    try:
        answer_object, end = _DECODER.raw_decode(answer, begin)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"its JSON cannot be read: {error}"[:_LONGEST_WHY], text) from error
    if "{" in answer[end:]:
        raise BadAnswer("there is more than one JSON object in it", text)
    if _is_listed(answer[:begin].strip(), answer[end:].strip()):
        raise BadAnswer("it is a list, not one JSON object", text)
    if not _is_text(answer_object):
        raise BadAnswer("there is a lone surrogate in it", text)
    value: JsonObject = answer_object
    return value


def _is_listed(before: str, after: str) -> bool:
    """Return whether an object between these texts is an entry of a list."""
    return before.endswith("[") or (before.startswith("[") and after.endswith("]"))


def _without_thought(text: str) -> str:
    """Return the answer after the `<think>` block of some models, whose opening tag may be missing."""
    if text.lstrip().startswith(("{", "```")):
        return text
    return text.partition("</think>")[2] or text


def _is_text(answer_object: JsonObject) -> bool:
    try:
        json.dumps(answer_object, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key is repeated")
    return fields


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)


def _misfit(answer_object: JsonObject, wanted: str) -> str | None:
    try:
        fault = next(iter(_validator(wanted).iter_errors(answer_object)), None)
    except ValueError as error:  # an integer of hundreds of digits
        return str(error)
    if fault is None:
        return None
    where = ".".join(map(str, fault.instance_path)) or "the answer"
    return f"{where}: {fault.message}"


@cache
def _validator(wanted: str) -> Any:
    return jsonschema_rs.validator_for(json.loads(wanted))
