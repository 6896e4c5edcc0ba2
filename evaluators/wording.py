"""What pydantic refuses, said to whoever wrote it: what stands there, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from .formats.spelling import kind
from .hints import nearest

__all__ = ["reason", "steps"]

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
}
_BOUNDS: Final = {
    "greater_than_equal": ("ge", "write {} or more"),
    "greater_than": ("gt", "write more than {}"),
    "less_than_equal": ("le", "write {} or less"),
    "less_than": ("lt", "write less than {}"),
}
_NO_MODULE = re.compile(r"No module named '(?P<module>[^']+)'")
_TYPES: Final = frozenset({"bool", "str", "int", "float", "[key]"})


def steps(fault: Mapping[str, Any]) -> tuple[str | int, ...]:
    """The keys under which the faulty value stands, without what pydantic adds about the kinds it tried."""
    keys: tuple[str | int, ...] = tuple(fault["loc"])
    is_kind = keys and isinstance(keys[-1], str) and (keys[-1] in _TYPES or re.fullmatch(r"\w+\[.*\]", keys[-1]))
    return keys[:-1] if is_kind and len(keys) > 1 else keys


def reason(fault: Mapping[str, Any]) -> str:
    """One of the errors of a ValidationError in our words."""
    sort, given = fault["type"], fault.get("input")
    if sort in _SAID:
        return _SAID[sort](fault)
    subject = "its key" if fault["loc"] and fault["loc"][-1] == "[key]" else "it"
    if sort in _WRITE:
        shown = kind(given) if sort == "string_type" else _shown(given)  # a token that looks like a number stays secret
        return f"{subject} is {shown}; {_WRITE[sort]}"
    if sort in _BOUNDS:
        key, write = _BOUNDS[sort]
        bound = fault["ctx"][key]
        return f"it is {given}; {write.format(f'{bound:g}' if isinstance(bound, float) else bound)}"
    return str(fault["msg"])


def _shown(value: object) -> str:
    """What was written: a short text as it is, anything else by its kind."""
    if isinstance(value, dict):
        return "a mapping"
    if value is None:
        return "empty"
    is_short = isinstance(value, (str, int, float)) and len(repr(value)) <= _LONGEST_SHOWN
    return repr(value) if is_short and not isinstance(value, bool) else kind(value)


def _word(fault: Mapping[str, Any]) -> str:
    known = re.findall(r"'([^']*)'", fault["ctx"]["expected"]) or [fault["ctx"]["expected"]]
    given = fault.get("input")
    offer = nearest(given, known) if isinstance(given, str) else ""
    return f"it is {_shown(given)}; write {' or '.join([', '.join(known[:-1])] * (len(known) > 1) + known[-1:])}{offer}"


def _pattern(fault: Mapping[str, Any]) -> str:
    try:
        re.compile(fault["input"])
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        return f"{_shown(fault['input'])} is no regular expression: {error}"
    return "it is no regular expression"


def _imported(fault: Mapping[str, Any]) -> str:
    error = str(fault.get("ctx", {}).get("error", fault["msg"]))
    if found := _NO_MODULE.search(error):
        return f"{found['module']} is not importable: put its folder on PYTHONPATH"
    return f"{_shown(fault.get('input'))} is not importable: {error}; write module:function"


def _own(fault: Mapping[str, Any]) -> str:
    return str(fault["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")


_SAID: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "missing": lambda _: "it is missing",
    "value_error": _own,
    "assertion_error": _own,
    "literal_error": _word,
    "enum": _word,
    "pattern_regex": _pattern,
    "import_error": _imported,
    "too_short": lambda _: "it is empty",
    "string_too_short": lambda _: "it is empty",
}
"""How a fault is said about which there is more to say than the kind that was wanted."""
