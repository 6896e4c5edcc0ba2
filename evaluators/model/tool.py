"""Tools: as they were offered to the model, and as they were called."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any, Literal, TypeAlias, TypeVar

import orjson
from pydantic import Field, TypeAdapter

from ..text.json_text import json_text
from .value import JsonObject, Value

__all__ = ["CallStatus", "ToolCall", "ToolDefinition"]

CallStatus: TypeAlias = Literal["ok", "error", "not_executed"]

T = TypeVar("T")


class ToolCall(Value):
    """One tool call of an agent: what was asked for, and what came back."""

    name: str = Field(min_length=1)
    id: str | None = None
    args: JsonObject | None = Field(default=None, description="arguments by name; None = not recorded")
    args_text: str | None = Field(default=None, description="the arguments as received when they are no JSON object")
    result: str | None = Field(default=None, description="verbatim; None = not recorded")
    error: str | None = None
    status: CallStatus | None = Field(default="ok", description="None: nothing recorded says whether it ran")
    started_at: datetime | None = None
    duration_ms: float | None = Field(default=None, description="None when recovered from messages: never guessed")
    span_id: str | None = None
    source: Literal["span", "message", "both"] = "span"
    agent_name: str | None = None
    child_agent_trace_id: str | None = Field(default=None, description="the run of the sub-agent that made the call")
    is_foreign: bool = Field(default=False, description="another service wrote it into the run, unasked by the model")
    metadata: JsonObject = Field(default_factory=dict, description="what else its span says, by attribute key")

    @classmethod
    def of(cls, name: str, /, **args: Any) -> ToolCall:
        """Return a call made by hand: `ToolCall.of("search", q="x")`."""
        return cls(name=name, args=args)

    @staticmethod
    def result_json(value: object) -> str:
        """`value` as a result is stored: one line of JSON; None becomes `null`.

        Takes what Python tools return, also pydantic models, dataclasses, decimals, times, sets and large integers.
        Raises ValueError for what JSON has no word for, such as NaN.
        """
        return json_text(value)

    def result_as(self, type_: type[T]) -> T | None:
        """Return the result as `type_` (any type that pydantic reads); None when it is absent, blank or JSON null.

        Raises pydantic.ValidationError when the text is not `type_` in JSON.
        """
        if self.result is None or not self.result.strip() or self.result.strip() == "null":
            return None
        return TypeAdapter(type_).validate_json(self.result)

    def args_as(self, type_: type[T]) -> T | None:
        """Return the arguments as `type_`; None when they are not recorded. Raises pydantic.ValidationError."""
        return None if self.args is None else TypeAdapter(type_).validate_python(self.args)


class ToolDefinition(Value):
    """A tool as it was offered to the model."""

    name: str = Field(min_length=1)
    description: str | None = None
    input_schema: JsonObject | None = Field(default=None, description="JSON Schema; None = not recorded")

    @property
    def hash(self) -> str:
        """The same for the same name, description and schema, whatever the order of its keys."""
        fields = [self.name, self.description, self.input_schema]
        content = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
        return hashlib.sha256(content).hexdigest()[:32]
