"""What a judge answered, read strictly: one JSON object that is what was asked for, or no verdict at all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from math import isinf
from typing import Any, Final, NoReturn

import jsonschema_rs

from ..dialogue import BadAnswer
from ..model import JsonObject

__all__ = ["REASON", "SCORE", "each_once", "form", "reader"]

SCORE: Final[JsonObject] = {"type": "number", "minimum": 0, "maximum": 1}
REASON: Final[JsonObject] = {"type": "string"}

_LONGEST_WHY: Final = 200
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)


def form(**fields: JsonObject) -> JsonObject:
    """The JSON Schema of an object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}


def reader(wanted: JsonObject, check: Callable[[JsonObject], str | None] | None = None) -> Callable[[str], JsonObject]:
    """Reads an object that fits the form `wanted`. `check` says what else is wrong with one, or None.

    Prose and one fence around it are tolerated, for servers that know no structured output write them. Two objects,
    a truncated one, a key twice, a number that is none: each raises BadAnswer.
    """

    def read(text: str) -> JsonObject:
        found = _object(text)
        fault = _misfit(found, json.dumps(wanted)) or (check(found) if check else None)
        if fault:
            raise BadAnswer(fault[:_LONGEST_WHY], text)
        return found

    return read


def each_once(key: str, numbers: Sequence[int]) -> Callable[[Sequence[JsonObject]], str | None]:
    """Says what is wrong with a list in which each of `numbers` should stand once under `key`."""

    def check(told: Sequence[JsonObject]) -> str | None:
        found = sorted(one[key] for one in told)
        if found == sorted(numbers):
            return None
        return f"it tells of {key} {_few(found)}, asked was {_few(sorted(numbers))}"

    return check


def _few(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + (", ..." if len(numbers) > 20 else "") if numbers else "none"


def _object(text: str) -> JsonObject:
    said = _without_thought(text)
    fenced = _FENCED.findall(said)
    if len(fenced) == 1:
        said = fenced[0]
    begin = said.find("{")
    if begin < 0:
        raise BadAnswer("there is no JSON object in it", text)
    try:
        found, end = _DECODER.raw_decode(said, begin)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"its JSON cannot be read: {error}"[:_LONGEST_WHY], text) from error
    if "{" in said[end:]:
        raise BadAnswer("there is more than one JSON object in it", text)
    if not _is_text(found):
        raise BadAnswer("there is half a character in it", text)
    told: JsonObject = found
    return told


def _without_thought(text: str) -> str:
    """What stands behind the thinking aloud of some models; of which the first mark may be missing, never the last."""
    if text.lstrip().startswith(("{", "```")):
        return text
    return text.partition("</think>")[2] or text


def _is_text(found: JsonObject) -> bool:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> JsonObject:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a key stands in it twice")
    return told


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_unique)


def _misfit(found: JsonObject, wanted: str) -> str | None:
    try:
        fault = next(iter(_validator(wanted).iter_errors(found)), None)
    except ValueError as error:  # an integer of hundreds of digits
        return str(error)
    if fault is None:
        return None
    where = ".".join(map(str, fault.instance_path)) or "the answer"
    return f"{where}: {fault.message}"


@cache
def _validator(wanted: str) -> Any:
    return jsonschema_rs.validator_for(json.loads(wanted))
