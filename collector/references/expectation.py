"""What may be expected of a run, and what agents say of it themselves, in attributes of their spans or resources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any, Final

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tracegrade.evaluators.formats.openai import calls_in, messages
from tracegrade.evaluators.formats.tool_calls import expected_calls
from tracegrade.evaluators.formats.tool_definitions import tool_definitions
from tracegrade.evaluators.model import ExpectedCall, Message, ReferenceFault, ToolDefinition
from tracegrade.evaluators.text.suggestions import nearest
from tracegrade.evaluators.text.validation_errors import reason, steps

from ..spans.values import GAPS, decode_text

__all__ = ["FIELDS", "PREFIX", "Expectation", "calls_implied", "said_by"]

PREFIX: Final = "tracegrade."
"""What the names of the attributes begin with that an agent may set; behind it stand the fields of a reference."""


def _several(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _calls(value: Any) -> Any:
    """Expected calls; a name alone stands for a call with any arguments."""
    named = [{"name": each} if isinstance(each, str) else each for each in value] if isinstance(value, list) else value
    return expected_calls(named, place="expected_tool_calls")


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]


class Expectation(BaseModel):
    """What a rule or an agent may say; each field in any of its usual spellings. None = not said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    expected_tool_calls: Annotated[tuple[ExpectedCall, ...], BeforeValidator(_calls)] | None = None
    minimums: dict[str, Annotated[int | float, Field(ge=0, allow_inf_nan=False)]] | None = None
    expected_response: str | None = None
    expected_trajectory: Annotated[tuple[Message, ...], BeforeValidator(messages)] | None = None
    tasks: Texts | None = None
    constraints: Texts | None = None
    tools: Annotated[tuple[ToolDefinition, ...], BeforeValidator(tool_definitions)] | None = None

    @property
    def said(self) -> dict[str, Any]:
        """The fields that are not None."""
        return {name: value for name in Expectation.model_fields if (value := getattr(self, name)) is not None}


FIELDS: Final = tuple(Expectation.model_fields)
_TEXT: Final = frozenset({"expected_response"})
_MOST_TOLD: Final = 5
_OBJECTS: Final = frozenset({"expected_tool_calls", "expected_trajectory", "tools", "minimums"})


def calls_implied(trajectory: Sequence[Message]) -> tuple[ExpectedCall, ...]:
    """The calls in an expected trajectory, each with its arguments and result."""
    return tuple(ExpectedCall(name=one.name, args=one.args, result=one.result) for one in calls_in(trajectory))


def said_by(attributes: Mapping[str, Any]) -> tuple[dict[str, Any], list[ReferenceFault]]:
    """What the agent says under our attributes, and what of it cannot be read: its sender has to mend that."""
    said: dict[str, Any] = {}
    faults = list(_unknown(attributes))
    for field in FIELDS:
        if (value := attributes.get(PREFIX + field)) is None:
            continue
        try:
            said |= Expectation(**{field: _decoded(field, value)}).said
        except ValidationError as error:
            faults += [_fault(field, _why(one)) for one in error.errors()[:1]]
        except orjson.JSONDecodeError as error:
            faults.append(_fault(field, f"no JSON: {error.msg} at character {error.pos + 1} of {len(value):,}"))
    return said, faults


def _fault(field: str, why: str) -> ReferenceFault:
    return ReferenceFault(field=field, text=f"the attribute {PREFIX}{field} cannot be read: {why}")


def _why(error: Any) -> str:
    keys = ".".join(map(str, steps(error)[1:]))
    return f"{keys}: {reason(error)}" if keys else reason(error)


def _unknown(attributes: Mapping[str, Any]) -> Iterator[ReferenceFault]:
    """The attributes that look like ours and are none; those with further dots are about something else."""
    ours = (name for name in attributes if name.startswith(PREFIX) and name != GAPS)
    unknown = (
        name for name in ours if "." not in name.removeprefix(PREFIX) and name.removeprefix(PREFIX) not in FIELDS
    )
    for name in islice(unknown, _MOST_TOLD):
        word = name.removeprefix(PREFIX)
        meant = next(iter(get_close_matches(word, FIELDS, n=1)), None)
        yield ReferenceFault(field=meant, text=f"nobody knows the attribute {name}{nearest(word, FIELDS)}")


def _decoded(field: str, value: Any) -> Any:
    """What an attribute holds. OpenTelemetry has no arrays of objects: they come as arrays of JSON texts.

    Raises orjson.JSONDecodeError for what begins as JSON and is none.
    """
    if field in _TEXT:
        return value
    value = _parsed(value) if field in _OBJECTS or _opens_a_list(value) else value
    if field in _OBJECTS and isinstance(value, list):
        return [_parsed(each) if isinstance(each, str) and each.lstrip().startswith("{") else each for each in value]
    return value


def _parsed(value: Any) -> Any:
    read = decode_text(value)
    if isinstance(read, str) and read.lstrip().startswith(("{", "[")):
        orjson.loads(read)
    return read


def _opens_a_list(value: Any) -> bool:
    return isinstance(value, str) and value.lstrip().startswith(('["', "[]"))
