"""Writes messages, calls and definitions in the JSON of the GenAI conventions.

Where the value of a field looks like an envelope that is removed when it is read, it is written in another envelope, so
that it is read as it is.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-input-messages.json,
gen-ai-output-messages.json, gen-ai-tool-definitions.json)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tracegrade.evaluators.model import (
    JsonObject,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

from ..spans.envelopes import content_blocks, mcp_error, result_text
from ..spans.values import as_object, is_placeholder
from .json_text import json_text

__all__ = [
    "join_messages",
    "write_arguments",
    "write_definitions",
    "write_message",
    "write_parts",
    "write_result",
]

_NO_OBJECT: Final = "INVALID_JSON"
"""The key under which instrumentations put arguments that are no JSON object (`shared.parts`)."""


def join_messages(messages: Iterable[str]) -> str:
    """Return written messages as a list of them."""
    return f"[{','.join(messages)}]"


def write_message(message: Message) -> str:
    """Return a message as JSON."""
    name = {} if message.name is None else {"name": message.name}
    return json_text({"role": message.role, **name, "parts": [_part(part) for part in message.parts]})


def write_parts(message: Message) -> str:
    """Return the parts of a message as JSON: the form of system instructions."""
    return json_text([_part(part) for part in message.parts])


def write_arguments(args: JsonObject | None, text: str | None) -> str | None:
    """Return the arguments of a call as the text of an attribute; None if they are not recorded."""
    if args is not None:
        return json_text(args)
    wrapped = None if text is None else _arguments_in_text(text)
    return wrapped if wrapped is None or isinstance(wrapped, str) else json_text(wrapped)


def write_result(result: str) -> str:
    """Return the result of a tool as the text of an attribute."""
    is_read_as_it_is = result_text(result) == result and not is_placeholder(result)
    return result if is_read_as_it_is else json_text(_text_block(result))


def write_definitions(definitions: Iterable[ToolDefinition]) -> str:
    """Return definitions of tools as JSON."""
    return json_text([_definition(definition) for definition in definitions])


def _definition(definition: ToolDefinition) -> JsonObject:
    fields = {"description": definition.description, "parameters": definition.input_schema}
    return {"type": "function", "name": definition.name, **_without_none(fields)}


def _part(part: MessagePart) -> JsonObject:
    match part:
        case TextPart() | ReasoningPart():
            return {"type": part.type, "content": part.content}
        case ToolCallPart():
            args = _arguments_in_text(part.arguments) if isinstance(part.arguments, str) else part.arguments
            return {"type": part.type, **_without_none({"id": part.id}), "name": part.name, **_arguments(args)}
        case ToolCallResponsePart():
            return {"type": part.type, **_response(part)}
    return part.content if "type" in part.content else {"type": part.kind, **part.content}


def _arguments(args: JsonObject | str | None) -> JsonObject:
    return {} if args is None else {"arguments": args}


def _arguments_in_text(text: str) -> JsonObject | str:
    is_read_as_it_is = text != "" and as_object(text) is None and not is_placeholder(text)
    return text if is_read_as_it_is else {_NO_OBJECT: text}


def _response(part: ToolCallResponsePart) -> JsonObject:
    response: Any = part.response
    if response is not None:
        is_read_as_it_is = content_blocks(response) == response and (part.is_error or mcp_error(response) is None)
        response = response if is_read_as_it_is else [_text_block(response)]
    fields = {"id": part.id, "name": part.name, "response": response, "is_error": part.is_error or None}
    return _without_none(fields)


def _text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _without_none(fields: Mapping[str, Any]) -> JsonObject:
    return {key: value for key, value in fields.items() if value is not None}
