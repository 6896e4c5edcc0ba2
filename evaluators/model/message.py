"""Messages between agent and model, and their parts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from .value import JsonObject, Value

__all__ = [
    "GenericPart",
    "Message",
    "MessagePart",
    "ReasoningPart",
    "TextPart",
    "ToolCallPart",
    "ToolCallResponsePart",
]


class TextPart(Value):
    type: Literal["text"] = "text"
    content: str


class ReasoningPart(Value):
    type: Literal["reasoning"] = "reasoning"
    content: str


class ToolCallPart(Value):
    """A tool call that the model requests. `arguments` is an object; text if the model wrote anything else."""

    type: Literal["tool_call"] = "tool_call"
    id: str | None = None
    name: str
    arguments: JsonObject | str | None = None


class ToolCallResponsePart(Value):
    """The result of a tool, as the model received it."""

    type: Literal["tool_call_response"] = "tool_call_response"
    id: str | None = None
    name: str | None = None
    response: str | None = None
    is_error: bool = False


class GenericPart(Value):
    """Any other part that a convention or vendor defines: images, files, server tools, compaction."""

    type: Literal["generic"] = "generic"
    kind: str
    content: JsonObject = Field(default_factory=dict)


MessagePart: TypeAlias = Annotated[
    TextPart | ReasoningPart | ToolCallPart | ToolCallResponsePart | GenericPart, Field(discriminator="type")
]


class Message(Value):
    """One message of the conversation with the model."""

    role: str
    parts: tuple[MessagePart, ...] = ()
    name: str | None = None
    span_id: str | None = None
    time: datetime | None = None

    @property
    def text(self) -> str | None:
        """The text parts, joined by line breaks; None if there are none."""
        texts = [part.content for part in self.parts if isinstance(part, TextPart)]
        return "\n".join(texts) if texts else None

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))
