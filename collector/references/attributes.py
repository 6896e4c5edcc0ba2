"""Reads the fields of a reference from attributes of an agent's spans or resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final

import orjson
from pydantic import ValidationError

from tracegrade.evaluators.formats.expectation import FIELDS, Expectation
from tracegrade.evaluators.model import ReferenceFault
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.evaluators.text.validation_errors import reason, steps

from ..spans.values import GAPS, decode_text

__all__ = ["PREFIX", "read_expectation"]

PREFIX: Final = "tracegrade."
"""The prefix of the attributes that an agent may set; the field of the reference follows it."""


_TEXT: Final = frozenset({"expected_response"})
_MOST_FAULTS: Final = 5
_OBJECTS: Final = frozenset({"expected_tool_calls", "expected_trajectory", "tools", "minimums"})


def read_expectation(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], list[ReferenceFault]]:
    """Return the fields that the agent defines in our attributes, and the faults in them, for the sender to correct."""
    fields: dict[str, Any] = {}
    faults = list(_find_unknown(attributes))
    for field in FIELDS:
        if (value := attributes.get(PREFIX + field)) is None:
            continue
        try:
            fields |= Expectation(**{field: _decode(field, value)}).defined
        except ValidationError as error:
            faults += [_build_fault(field, _explain(detail)) for detail in error.errors()[:1]]
        except orjson.JSONDecodeError as error:
            faults.append(_build_fault(field, f"no JSON: {error.msg} at character {error.pos + 1} of {len(value):,}"))
    return fields, faults


def _build_fault(field: str, cause: str) -> ReferenceFault:
    return ReferenceFault(field=field, text=f"the attribute {PREFIX}{field} cannot be read: {cause}")


def _explain(error: Any) -> str:
    keys = ".".join(map(str, steps(error)[1:]))
    return f"{keys}: {reason(error)}" if keys else reason(error)


def _find_unknown(attributes: Mapping[str, Any]) -> Iterator[ReferenceFault]:
    """Yield faults for attributes with our prefix and an unknown field. Names with further dots are not fields."""
    ours = (name for name in attributes if name.startswith(PREFIX) and name != GAPS)
    unknown = (
        name for name in ours if "." not in name.removeprefix(PREFIX) and name.removeprefix(PREFIX) not in FIELDS
    )
    for name in islice(unknown, _MOST_FAULTS):
        word = name.removeprefix(PREFIX)
        field = next(iter(get_close_matches(word, FIELDS, n=1)), None)
        yield ReferenceFault(field=field, text=f"unknown attribute {name}{nearest(word, FIELDS)}")


def _decode(field: str, value: Any) -> Any:
    """Decode the value of an attribute. OpenTelemetry has no arrays of objects; they are sent as arrays of JSON texts.

    Raises orjson.JSONDecodeError for a text that begins like JSON but is not valid.
    """
    if field in _TEXT:
        return value
    value = _parse(value) if field in _OBJECTS or _begins_with_list(value) else value
    if field in _OBJECTS and isinstance(value, list):
        return [_parse(item) if isinstance(item, str) and item.lstrip().startswith("{") else item for item in value]
    return value


def _parse(value: Any) -> Any:
    decoded = decode_text(value)
    if isinstance(decoded, str) and decoded.lstrip().startswith(("{", "[")):
        orjson.loads(decoded)
    return decoded


def _begins_with_list(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(('["', "[]"))
