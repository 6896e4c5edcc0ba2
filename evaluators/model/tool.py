"""Tools as they were offered to the model, and calls of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypeVar

import orjson
from pydantic import AliasChoices, Field, TypeAdapter

from ..text.json_text import json_text
from .value import JsonObject, Value

__all__ = ["CallStatus", "ToolCall", "ToolDefinition"]

CallStatus: TypeAlias = Literal["ok", "error", "not_executed"]

T = TypeVar("T")


class ToolCall(Value):
    """One tool call of an agent: its arguments, which may also be given as `arguments`, and its result."""

    name: str = Field(min_length=1)
    id: str | None = None
    args: JsonObject | None = Field(
        default=None,
        validation_alias=AliasChoices("args", "arguments"),
        description="arguments by name; None = not recorded",
    )
    args_text: str | None = Field(default=None, description="the arguments as received if they are no JSON object")
    result: str | None = Field(default=None, description="verbatim; None = not recorded")
    error: str | None = None
    status: CallStatus | None = Field(default="ok", description="None: not recorded whether it was executed")
    started_at: datetime | None = None
    duration_ms: float | None = Field(default=None, description="None if recovered from messages: never guessed")
    span_id: str | None = None
    source: Literal["span", "message", "both"] = "span"
    agent_name: str | None = None
    child_agent_trace_id: str | None = Field(default=None, description="the run of the sub-agent that made the call")
    is_foreign: bool = Field(
        default=False, description="written into the run by another service; the model did not request it"
    )
    metadata: JsonObject = Field(default_factory=dict, description="the other attributes of its span, by key")

    @classmethod
    def of(cls, name: str, arguments: Mapping[str, Any] | None = None, /, **args: Any) -> ToolCall:
        """Return a call of `name` with these arguments: `ToolCall.of("search", q="x")`, or a mapping instead.

        Raises TypeError if there are both.
        """
        if arguments is not None and args:
            raise TypeError("give the arguments of a call either as one mapping or by name")
        return cls(name=name, args=args if arguments is None else dict(arguments))

    @staticmethod
    def result_json(value: object) -> str:
        """Return `value` as results are stored: one line of JSON; None becomes `null`.

        Accepts what Python tools return, including pydantic models, dataclasses, decimals, times, sets and large
        integers. Raises ValueError for values that JSON cannot represent, such as NaN.
        """
        return json_text(value)

    def result_as(self, type_: type[T]) -> T | None:
        """Return the result as `type_` (any type that pydantic reads); None if it is absent, blank or JSON null.

        Raises pydantic.ValidationError if the text is not the JSON of a `type_`.
        """
        if self.result is None or not self.result.strip() or self.result.strip() == "null":
            return None
        return TypeAdapter(type_).validate_json(self.result)

    def args_as(self, type_: type[T]) -> T | None:
        """Return the arguments as `type_`; None if they are not recorded. Raises pydantic.ValidationError."""
        return None if self.args is None else TypeAdapter(type_).validate_python(self.args)


class ToolDefinition(Value):
    """A tool as it was offered to the model."""

    name: str = Field(min_length=1)
    description: str | None = None
    input_schema: JsonObject | None = Field(default=None, description="JSON Schema; None = not recorded")

    @classmethod
    def of(
        cls, name: str, description: str | None = None, input_schema: Mapping[str, Any] | None = None
    ) -> ToolDefinition:
        """Return the definition of the tool `name`; `input_schema` is a JSON Schema."""
        schema = None if input_schema is None else dict(input_schema)
        return cls(name=name, description=description, input_schema=schema)

    @property
    def hash(self) -> str:
        """A hash that is equal for equal name, description and schema, whatever the order of its keys."""
        fields = [self.name, self.description, self.input_schema]
        content = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
        return hashlib.sha256(content).hexdigest()[:32]
