"""Messages, tool calls and tool definitions in all their spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from tracegrade.evaluators.model import (
    GenericPart,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

from ..envelopes import content_blocks
from ..values import REDACTED, as_object, as_text, decode_text, is_placeholder

__all__ = ["arguments", "definitions", "indexed", "message", "messages", "system_message", "tool_call_of"]

_ASKS = frozenset({"toolUse", "functionCall", "function_call"})
_ANSWERS = frozenset({"toolResult", "functionResponse", "function_response"})
_UNTYPED = _ASKS | _ANSWERS | {"text"}
_SERVER_RESULTS = (
    "bash_code_execution_tool_result",
    "code_execution_tool_result",
    "mcp_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "web_fetch_tool_result",
    "web_search_tool_result",
)
"""What tools gave that Anthropic runs itself (https://platform.claude.com/docs/en/agents-and-tools/tool-use)."""
_UNPARSED = frozenset({"INVALID_JSON", "_raw"})
"""Under these Pydantic AI and Traceloop put arguments of a model that are no JSON object."""
_REMEMBERED_CHARACTERS = 65_536
_INDEXED = re.compile(r"(\d+)\.(.+)")


def messages(value: Any) -> tuple[Message, ...] | None:
    """Messages as the GenAI conventions write them (structured or as JSON text); None when there are none."""
    decoded = decode_text(value)
    if isinstance(decoded, dict):
        decoded = [decoded]
    if not isinstance(decoded, list):
        return None
    return tuple([message(item) for item in decoded if isinstance(item, dict)])


def message(item: dict[str, Any]) -> Message:
    """One message: `parts`, or the older `content` with `tool_calls` beside it."""
    role = item.get("role")
    name = item.get("name")
    return Message(
        role=role if isinstance(role, str) else "unknown",
        name=name if isinstance(name, str) else None,
        parts=tuple(_parts(item)),
    )


def system_message(value: Any) -> Message:
    """System instructions, a text or a list of parts, as a message of their own."""
    decoded = decode_text(value)
    return message({"role": "system", "parts": decoded if isinstance(decoded, list) else [as_text(decoded)]})


def arguments(value: Any) -> dict[str, Any] | str | None:
    """Arguments as an object; the text as written when it is none; None when absent or left out."""
    if value is None or value == "" or is_placeholder(value):
        return None
    held = as_object(value)
    if held is not None and len(held) == 1 and held.keys() <= _UNPARSED:
        return as_text(*held.values())
    return held if held is not None else as_text(value)


def tool_call_of(item: dict[str, Any]) -> ToolCallPart | None:
    """A tool call in any of its spellings: `{name, arguments}`, `{function: {…}}`, `{toolName, input}`."""
    function = _function(item)
    name = _first(function, "name", "toolName", "tool_name")
    if not isinstance(name, str) or not name:
        return None
    call_id = _first(item, "call_id", "id", "toolCallId", "tool_call_id", "toolUseId")
    return ToolCallPart(
        id=call_id if isinstance(call_id, str) else None,
        name=name,
        arguments=arguments(_first(function, "arguments", "args", "input")),
    )


def definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    """Tool definitions in any of their spellings; None when there are none."""
    is_repeated = isinstance(value, str) and len(value) <= _REMEMBERED_CHARACTERS
    return _remembered(value) if is_repeated else _definitions(value)


@lru_cache(maxsize=512)
def _remembered(text: str) -> tuple[ToolDefinition, ...] | None:
    """An agent offers the same tools in every call it makes."""
    return _definitions(text)


def _definitions(value: Any) -> tuple[ToolDefinition, ...] | None:
    decoded = decode_text(value)
    if isinstance(decoded, dict):
        decoded = [decoded]
    if not isinstance(decoded, list):
        return None
    found = (_definition(decode_text(item)) for item in decoded)
    return tuple(definition for definition in found if definition is not None) or None


def indexed(flat: dict[str, Any]) -> list[dict[str, Any]]:
    """`{"0.a": 1, "10.a": 2}` as a list in the order of the numbers: how flattened dialects write lists."""
    groups: dict[int, dict[str, Any]] = {}
    for key, value in flat.items():
        if found := _INDEXED.fullmatch(key):
            groups.setdefault(int(found[1]), {})[found[2]] = value
    return [groups[index] for index in sorted(groups)]


def _definition(item: Any) -> ToolDefinition | None:
    if not isinstance(item, dict):
        return None
    function = _function(item)
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return None
    description = function.get("description")
    schema = as_object(_first(function, "parameters", "input_schema", "inputSchema", "parameters_json_schema"))
    if schema is not None and isinstance(schema.get("json"), dict):
        schema = schema["json"]
    return ToolDefinition(
        name=name, description=description if isinstance(description, str) else None, input_schema=schema
    )


def _function(item: dict[str, Any]) -> dict[str, Any]:
    """OpenAI puts name and arguments, or name and schema, one level down."""
    inner = item.get("function")
    return inner if isinstance(inner, dict) else item


def _parts(item: dict[str, Any]) -> list[MessagePart]:
    parts = item.get("parts")
    if isinstance(parts, list):
        return [part for one in parts if (part := _part(one)) is not None]
    calls = item.get("tool_calls")
    asked = [as_object(call) for call in calls] if isinstance(calls, list) else []
    return [*_content(item), *(part for call in asked if call and (part := tool_call_of(call)) is not None)]


def _content(item: dict[str, Any]) -> Iterable[MessagePart]:
    content = item.get("content")
    if item.get("role") == "tool" and not _is_typed(content):
        call_id = _first(item, "id", "tool_call_id")
        yield ToolCallResponsePart(id=call_id if isinstance(call_id, str) else None, response=as_text(content))
    elif isinstance(content, str) and content:
        blocks = decode_text(content)
        if isinstance(blocks, list) and blocks and all(_is_block(block) for block in blocks):
            content = blocks
        else:
            yield from filter(None, (_text(content),))
    if isinstance(content, list):
        yield from (part for one in content if (part := _part(one)) is not None)


def _part(item: Any) -> MessagePart | None:
    if isinstance(item, str):
        return TextPart(content=item)
    if not isinstance(item, dict):
        return None
    kind = item.get("type")
    read = _PARTS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        return read(item)
    if "type" not in item:
        return _untyped(item)
    return GenericPart(kind=str(kind or "unknown"), content={k: v for k, v in item.items() if k != "type"})


def _text_part(item: dict[str, Any]) -> MessagePart | None:
    return _text(_first(item, "content", "text"))


def _reasoning(item: dict[str, Any]) -> MessagePart | None:
    """What the model thought; OpenAI has the summary of it, as a list of texts, where it does not tell all."""
    told = next((told for key in ("content", "text", "thinking", "summary") if (told := item.get(key))), None)
    text = content_blocks(told) if isinstance(told, list) else as_text(told)
    return None if text is None else ReasoningPart(content=text)


def _server_response(item: dict[str, Any]) -> MessagePart:
    return _response({**item, "response": item.get("server_tool_call_response")})


def _server_call(item: dict[str, Any]) -> MessagePart | None:
    """A tool that the model's provider runs: what it was called with stands beside the type of the tool."""
    held = item.get("server_tool_call", item.get("input"))
    args = {key: value for key, value in held.items() if key != "type"} if isinstance(held, dict) else held
    return tool_call_of({"name": _named(held), **item, "arguments": args})


def _named(held: Any) -> Any:
    return held.get("type") if isinstance(held, dict) else None


def _is_typed(content: Any) -> bool:
    """Whether a tool's message holds results as parts of their own, and not one result."""
    kinds = {"tool-result", "tool_result", "tool_call_response"}
    return isinstance(content, list) and any(isinstance(one, dict) and one.get("type") in kinds for one in content)


def _is_block(item: Any) -> bool:
    """Whether this is a content block as Bedrock or Gemini writes it, named by its only telling key."""
    return isinstance(item, dict) and bool(item.keys() & _UNTYPED)


def _text(value: Any) -> MessagePart | None:
    """A text; one that was left out, and says so, is a part that holds no text."""
    text = as_text(value)
    if text is None:
        return None
    return GenericPart(kind=REDACTED, content={"text": text}) if is_placeholder(text) else TextPart(content=text)


def _untyped(item: dict[str, Any]) -> MessagePart | None:
    """Bedrock's and Gemini's blocks: `{"text"}`, `{"text", "thought"}`, `{"toolUse": {…}}`, `{"function_response"}`."""
    if isinstance(item.get("text"), str):
        return ReasoningPart(content=item["text"]) if item.get("thought") is True else _text(item["text"])
    for key in item.keys() & _UNTYPED:
        inner = item[key]
        if isinstance(inner, dict) and key in _ASKS:
            return tool_call_of(inner)
        if isinstance(inner, dict) and key in _ANSWERS:
            return _response(inner)
    return GenericPart(kind="unknown", content=item)


def _response(item: dict[str, Any]) -> ToolCallResponsePart:
    call_id = _first(item, "call_id", "id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId")
    name = item.get("name")
    output = _first(item, "response", "result", "output", "content")
    return ToolCallResponsePart(
        id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        response=content_blocks(_valued(output)),
        is_error=item.get("status") == "error" or _first(item, "is_error", "isError") is True or _says_error(output),
    )


def _valued(output: Any) -> Any:
    """The Vercel AI SDK writes a result as `{"type": "json", "value": …}`."""
    return output["value"] if isinstance(output, dict) and output.keys() == {"type", "value"} else output


def _says_error(output: Any) -> bool:
    """By the type of the result: the Vercel AI SDK's `error-text`, Anthropic's `web_search_tool_result_error`."""
    kind = str(output.get("type")) if isinstance(output, dict) else ""
    return kind.startswith("error-") or kind.endswith("_tool_result_error")


def _first(item: dict[str, Any], *keys: str) -> Any:
    for key in keys:
        value = item.get(key)
        if value is not None:
            return value
    return None


_PARTS: dict[str, Callable[[dict[str, Any]], MessagePart | None]] = {
    "text": _text_part,
    "input_text": _text_part,
    "output_text": _text_part,
    "reasoning": _reasoning,
    "thinking": _reasoning,
    "tool_call": tool_call_of,
    "tool_use": tool_call_of,
    "tool-call": tool_call_of,
    "toolCall": tool_call_of,
    "function_call": tool_call_of,
    "tool_call_response": _response,
    "tool_result": _response,
    "tool-result": _response,
    "function_call_output": _response,
    "custom_tool_call": tool_call_of,
    "custom_tool_call_output": _response,
    "server_tool_call": _server_call,
    "server_tool_use": _server_call,
    "server_tool_call_response": _server_response,
    "mcp_tool_use": tool_call_of,
    **dict.fromkeys(_SERVER_RESULTS, _response),
}
"""The types of parts, in the spellings of the conventions and of the vendors, and how each is read."""
