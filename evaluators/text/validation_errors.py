"""Explains validation errors of pydantic to the author of the value: what it is, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import isroutine
from typing import Any, Final

from pydantic import BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from .json_kind import json_kind
from .suggestions import fields_at, hint, nearest

__all__ = ["at", "explain", "explain_each", "faults", "reason", "shown", "steps"]

_LONGEST_SHOWN: Final = 60
_WRITE: Final = {
    "dict_type": "write a mapping",
    "mapping_type": "write a mapping",
    "model_type": "write a mapping",
    "model_attributes_type": "write a mapping",
    "dataclass_type": "write a mapping",
    "list_type": "write a list",
    "tuple_type": "write a list",
    "string_type": "write text, in quotes where it looks like something else",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "int_parsing_size": "write a smaller whole number",
    "int_from_float": "write a whole number",
    "float_type": "write a number",
    "float_parsing": "write a number",
    "finite_number": "write a number that is finite",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "byte_size": "write a size such as 16MiB",
    "path_type": "write a path",
    "callable_type": "name a function, as module:function",
    "pattern_type": "write a regular expression as text",
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), "write a time such as 2026-01-31T12:00:00Z"
    ),
}
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "write {} or more"),
    "greater_than": ("gt", "write more than {}"),
    "less_than_equal": ("le", "write {} or less"),
    "less_than": ("lt", "write less than {}"),
}
_KINDS: Final = frozenset({*_WRITE, "literal_error", "enum"})
_KEY: Final = "[key]"
_TYPES: Final = frozenset({"bool", "str", "int", "float", _KEY})
_KIND = re.compile(r"[\w-]+\[.*\]|constrained-\w+", re.DOTALL)


def at(*keys: str | int, fault: str) -> ValidationError:
    """Return the error for a validator of a whole model to raise when the value at these keys is at fault."""
    error = PydanticCustomError("value_error", "{fault}", {"fault": fault})
    return ValidationError.from_exception_data("options", [InitErrorDetails(type=error, loc=keys, input=None)])


def explain(error: ValidationError, model: type[BaseModel], *, within: str = "", most: int | None = None) -> str:
    """Explain what is wrong with the fields of a value, and where: `annotations[1].value: …`.

    For a field that `model` does not have, the nearest field is suggested. At most `most` faults are explained.
    """
    explained = explain_each(error, model, most=most)
    texts = [f"{_format_path((within, *keys))}: {text}" for keys, text in explained]
    if most is not None and (more := error.error_count() - most) > 0:
        texts.append(f"and {more:,} more faults")
    return "; ".join(texts)


def explain_each(
    error: ValidationError, model: type[BaseModel], *, most: int | None = None
) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the keys of each wrong value, or of the first `most`, and what is wrong with it, as `explain` does."""
    return [(steps(fault), _explain_field(fault, model)) for fault in faults(error)[:most]]


def faults(error: ValidationError) -> list[Mapping[str, Any]]:
    """Return the errors in `error`, one for each value that has to change.

    For a value that may have one of several types, pydantic lists an error for each of them. For a faulty value inside
    another it may list both: an outer list counts as empty if none of its entries is valid.
    """
    by_place: dict[tuple[str | int, ...], list[Mapping[str, Any]]] = {}
    above: set[tuple[str | int, ...]] = set()
    for fault in error.errors(include_url=False):
        keys = steps(fault)
        by_place.setdefault((*keys, *([_KEY] if _is_key(fault) else [])), []).append(fault)
        above |= {keys[:depth] for depth in range(len(keys))}
    return [_merge_errors(alternatives) for place, alternatives in by_place.items() if place not in above]


def _explain_field(fault: Mapping[str, Any], model: type[BaseModel]) -> str:
    if fault["type"] != "extra_forbidden":
        return reason(fault)
    *above, field = steps(fault)
    return f"{reason(fault)}{hint(str(field), fields_at(model, above))}"


def _format_path(parts: tuple[str | int, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts if part != "")
    return path.removeprefix(".") or "body"


def _merge_errors(alternatives: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return one error for a value: that of a type which it has but whose rules it breaks, else one that lists
    all types that it does not have."""
    unfit = [fault for fault in alternatives if fault["type"] not in _KINDS]
    if unfit or len(alternatives) == 1:
        return (unfit or alternatives)[-1]
    return {**alternatives[0], "type": "of_no_kind", "ctx": {"kinds": alternatives}}


def _is_key(fault: Mapping[str, Any]) -> bool:
    return bool(fault["loc"]) and fault["loc"][-1] == _KEY


def steps(fault: Mapping[str, Any]) -> tuple[str | int, ...]:
    """Return the keys of the faulty value, without those that pydantic adds for the types it tried."""
    given = tuple(fault["loc"])
    keys = given[:1] + tuple(key for key in given[1:] if not (isinstance(key, str) and _KIND.fullmatch(key)))
    return keys[:-1] if len(keys) > 1 and keys[-1] in _TYPES else keys


def reason(fault: Mapping[str, Any]) -> str:
    """Return the text for one error of a ValidationError."""
    sort, given = fault["type"], fault.get("input")
    if sort in _TEXTS:
        return _TEXTS[sort](fault)
    subject = "its key" if _is_key(fault) else "it"
    if sort in _WRITE:
        # a token that looks like a number must not be shown
        text = json_kind(given) if sort == "string_type" else shown(given)
        return f"{subject} is {text}; {_WRITE[sort]}"
    if sort in _BOUNDS:
        key, write = _BOUNDS[sort]
        bound = fault["ctx"][key]
        return f"it is {given}; {write.format(f'{bound:g}' if isinstance(bound, float) else bound)}"
    return str(fault["msg"])


def shown(value: object) -> str:
    """Return a description of a value: a short text or number itself, anything else by its type."""
    if isinstance(value, dict):
        return "a mapping"
    if value is None:
        return "empty"
    if isroutine(value):
        return "a function"
    is_short = isinstance(value, (str, int, float)) and len(repr(value)) <= _LONGEST_SHOWN
    return repr(value) if is_short and not isinstance(value, bool) else json_kind(value)


def _word(fault: Mapping[str, Any]) -> str:
    known = re.findall(r"'([^']*)'", fault["ctx"]["expected"]) or [fault["ctx"]["expected"]]
    given = fault.get("input")
    offer = nearest(given, known) if isinstance(given, str) else ""
    return f"it is {shown(given)}; write {' or '.join([', '.join(known[:-1])] * (len(known) > 1) + known[-1:])}{offer}"


def _pattern(fault: Mapping[str, Any]) -> str:
    try:
        re.compile(fault["input"])
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        return f"{shown(fault['input'])} is not a regular expression: {error}"
    return "it is not a regular expression"


def _imported(fault: Mapping[str, Any]) -> str:
    error = fault.get("ctx", {}).get("error", fault["msg"])
    return f"{shown(fault.get('input'))} is not importable: {error}; write module:function"


def _of_no_kind(fault: Mapping[str, Any]) -> str:
    reasons = [reason(kind).rpartition("; ") for kind in fault["ctx"]["kinds"]]
    return f"{reasons[0][0]}; {', or '.join(advice for _, _, advice in reasons)}"


def _no_such_text(fault: Mapping[str, Any]) -> str:
    return f"it is {shown(fault['input'])}; write text that fits {fault['ctx']['pattern']}"


def _too_long(fault: Mapping[str, Any]) -> str:
    return f"it has {fault['ctx']['actual_length']} entries; write {fault['ctx']['max_length']} at most"


def _own(fault: Mapping[str, Any]) -> str:
    return str(fault["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")


_TEXTS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "missing": lambda _: "it is missing",
    "value_error": _own,
    "assertion_error": _own,
    "literal_error": _word,
    "enum": _word,
    "pattern_regex": _pattern,
    "import_error": _imported,
    "of_no_kind": _of_no_kind,
    "extra_forbidden": lambda _: "there is no such field",
    "string_pattern_mismatch": _no_such_text,
    "string_too_long": lambda fault: f"it is too long; write {fault['ctx']['max_length']:,} characters at most",
    "too_long": _too_long,
    "too_short": lambda _: "it is empty",
    "string_too_short": lambda _: "it is empty",
}
"""The texts of errors by type, for those that need more than the expected type."""
