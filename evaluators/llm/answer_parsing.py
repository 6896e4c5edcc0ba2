"""Parses the answer of a judge: one JSON object with the fields that were asked for. Raises BadAnswer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import isinf
from typing import Any, Final, NamedTuple, NoReturn

import jsonschema_rs

from ..definition.dialogue import BadAnswer
from ..model import JsonObject

__all__ = ["REASON", "SCORE", "each_once", "form", "reader", "without_bounds", "without_thought"]

SCORE: Final[JsonObject] = {"type": "number", "minimum": 0, "maximum": 1}
REASON: Final[JsonObject] = {"type": "string"}

_LONGEST_WHY: Final = 200
_BOUNDS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"})
_READ_FROM_TEXT: Final = frozenset({"number", "integer", "boolean"})
_TRUTHS: Final = {"true": True, "false": False}
_DECIMAL = re.compile(r"[-+]?[0-9]{1,15}(\.[0-9]{1,20})?", re.ASCII)
_OPENED_FENCE = re.compile(r"```[a-zA-Z]*\s*\Z")
_MOST_BROKEN: Final = 100
_THOUGHT_ENDS = re.compile(
    r"</(?:\w+:)?(?:think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)>"
    r"|\[/THINK\]|◁/think▷|<\|end_of_thought\|>"
    r"|<\|channel\|>final\b[^{]{0,80}?<\|message\|>|\bassistantfinal(?=\s*(?:json\s*)?[{`])",
    re.IGNORECASE,
)
"""What stands between what a model thought and its answer. The last two: harmony, as it is, and without its tokens."""
_THOUGHT_BEGINS = re.compile(
    r"\s*(?:<(?:\w+:)?(?:think|thinking)>|\[THINK\]|◁think▷|(?:<\|start\|>assistant)?<\|channel\|>analysis\b)",
    re.IGNORECASE,
)


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

    It tolerates what servers without structured output write: thought, prose and code fences around the object, braces
    and objects of another form beside it, further fields, which are left out, and numbers and booleans as text. It
    refuses two objects that fit, unless only one of them is fenced, an object in a list, a truncated one, a repeated
    key, NaN and infinite numbers. `tidy` replaces the object before it is validated. `check` returns a further fault of
    the object, or None.
    """

    def read(text: str) -> JsonObject:
        fitting: list[tuple[JsonObject, bool]] = []
        faults: list[str] = []
        for found in _objects(without_thought(text)):
            fields = _as_asked(found.value, wanted)
            if tidy and found.fault is None:
                fields = tidy(fields)
            fault = found.fault or _misfit(fields, json.dumps(wanted)) or (check(fields) if check else None)
            if fault is None:
                fitting.append((fields, found.is_fenced))
            else:
                faults.append(fault)
        if len(fitting) > 1:
            fitting = [(fields, is_fenced) for fields, is_fenced in fitting if is_fenced]
            faults = ["there is more than one JSON object in it"]
        if len(fitting) != 1:
            raise BadAnswer((faults or ["there is no JSON object in it"])[-1][:_LONGEST_WHY], text)
        return fitting[0][0]

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


class _Found(NamedTuple):
    """An object in a text; `fault` says why it is no answer of any form."""

    value: Any
    fault: str | None
    begin: int
    end: int
    is_fenced: bool


def _objects(text: str) -> Iterator[_Found]:
    """Yield the outermost objects of a text. Braces that begin no JSON are passed over; what comes after the end of a
    truncated object is part of it."""
    end = 0
    for _ in range(_MOST_BROKEN):
        before, begin = end, text.find("{", end)
        if begin < 0:
            return
        is_fenced = _OPENED_FENCE.search(text[before:begin]) is not None
        try:
            value, end = _DECODER.raw_decode(text, begin)
            fault = None if _is_text(value) else "there is a lone surrogate in it"
        except RecursionError:
            value, end, fault = None, len(text), "its JSON is nested too deeply"
        except json.JSONDecodeError as error:
            end = len(text) if error.msg.startswith("Unterminated string") else max(error.pos, begin + 1)
            value, fault = None, f"its JSON cannot be read: {error}"
        except ValueError as error:  # what JSON has no word for; the object ends where a tolerant reader ends
            value, end, fault = None, _end_of_object(text, begin), f"its JSON cannot be read: {error}"
        if fault is None and _is_listed(text[:begin].strip(), text[end:].strip()):
            fault = "it is a list, not one JSON object"
        yield _Found(value, fault, begin, end, is_fenced)


def _end_of_object(text: str, begin: int) -> int:
    try:
        return json.JSONDecoder(parse_int=str).raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return len(text)


def _is_listed(before: str, after: str) -> bool:
    """Return whether an object between these texts is an entry of a list."""
    return before.endswith("[") or (before.startswith("[") and after.endswith("]"))


def without_thought(text: str) -> str:
    """Return the answer after what a model thought aloud, such as a `<think>` block, whose opening tag may be missing;
    empty if the thought has no end.

    A closing tag within an object is part of the answer. Source: the chat templates of DeepSeek, Qwen, Mistral
    (`[THINK]`), Kimi and gpt-oss (https://cookbook.openai.com/articles/openai-harmony)
    """
    for _ in range(_MOST_BROKEN):
        closing = _THOUGHT_ENDS.search(text)
        if closing is None:
            return "" if _THOUGHT_BEGINS.match(text) else text
        if any(found.begin < closing.start() < found.end for found in _objects(text) if found.fault is None):
            return text
        text = text[closing.end() :]
    return text


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
