"""Writes messages and tools in OpenAI's format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..model import (
    GenericPart,
    JsonObject,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

__all__ = ["write_messages", "write_tools"]


def write_messages(messages: Iterable[Message]) -> list[JsonObject]:
    """Return messages as `openai.messages` reads them: each result is a message of its own, before the rest."""
    return [written for message in messages for written in _write_message(message)]


def write_tools(definitions: Iterable[ToolDefinition]) -> list[JsonObject]:
    """Return tools as functions."""
    return [{"type": "function", "function": _write_function(definition)} for definition in definitions]


def _write_function(definition: ToolDefinition) -> JsonObject:
    fields = {"name": definition.name, "description": definition.description, "parameters": definition.input_schema}
    return {key: value for key, value in fields.items() if value is not None}


def _write_message(message: Message) -> Iterator[JsonObject]:
    results = [part for part in message.parts if isinstance(part, ToolCallResponsePart)]
    yield from map(_write_result, results)
    others = [part for part in message.parts if not isinstance(part, ToolCallResponsePart)]
    if not others and results:
        return
    written: JsonObject = {"role": message.role}
    if message.name is not None:
        written["name"] = message.name
    if thoughts := [part.content for part in others if isinstance(part, ReasoningPart)]:
        written["reasoning_content"] = "\n".join(thoughts)
    written["content"] = _write_content([part for part in others if isinstance(part, (TextPart, GenericPart))])
    if calls := [part for part in others if isinstance(part, ToolCallPart)]:
        written["tool_calls"] = [_write_call(call) for call in calls]
    yield written


def _write_content(parts: Sequence[TextPart | GenericPart]) -> Any:
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], TextPart) and parts[0].content:
        return parts[0].content
    return [
        {"type": "text", "text": part.content} if isinstance(part, TextPart) else {**part.content, "type": part.kind}
        for part in parts
    ]


def _write_call(call: ToolCallPart) -> JsonObject:
    arguments = call.arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    function = {"name": call.name} if arguments is None else {"name": call.name, "arguments": text}
    written: JsonObject = {"type": "function", "function": function}
    return written if call.id is None else {"id": call.id, **written}


def _write_result(result: ToolCallResponsePart) -> JsonObject:
    fields = {
        "role": "tool",
        "tool_call_id": result.id,
        "name": result.name,
        "content": result.response,
        "status": "error" if result.is_error else None,
    }
    return {key: value for key, value in fields.items() if value is not None}
