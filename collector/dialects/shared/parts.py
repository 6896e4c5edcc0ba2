"""Reads the parts of messages, and the tool calls among them, in all their spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tracegrade.evaluators.model import (
    GenericPart,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
)

from ...spans.envelopes import content_blocks, mcp_error
from ...spans.values import REDACTED, UNNAMED, as_object, as_text, is_placeholder
from .server_tools import HOSTED_CALLS, split_call

__all__ = [
    "first_value",
    "function_of",
    "is_block",
    "is_part",
    "is_typed",
    "read_arguments",
    "read_part",
    "read_parts",
    "text_part",
    "tool_call_of",
]

_ASKS = frozenset({"toolUse", "tool_use", "functionCall", "function_call"})
_ANSWERS = frozenset({"toolResult", "tool_result", "functionResponse", "function_response"})
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
_EMPTY = frozenset({"parts=[] role='model'", "parts=None role='model'"})
"""A content of Google's without parts, as LoongSuite writes it with Python's `str`."""
_LIFTED = frozenset({"tool_call", "tool_call_output"})
_UNPARSED = frozenset({"INVALID_JSON", "_raw"})
"""Under these Pydantic AI and Traceloop put arguments of a model that are no JSON object."""
_HOSTED = frozenset({"server_tool_call", *HOSTED_CALLS})


def read_arguments(value: Any) -> dict[str, Any] | str | None:
    """Return arguments as an object; the text as written if it is not one; None if absent or left out."""
    if value is None or value == "" or is_placeholder(value):
        return None
    decoded = as_object(value)
    if decoded is not None and len(decoded) == 1 and decoded.keys() <= _UNPARSED:
        return as_text(*decoded.values())
    return decoded if decoded is not None else as_text(value)


def tool_call_of(item: dict[str, Any]) -> ToolCallPart | None:
    """Read a tool call in any of its spellings: `{name, arguments}`, `{function: {…}}`, `{toolName, input}`."""
    function = function_of(item)
    name = first_value(function, "name", "toolName", "tool_name")
    call_id = first_value(item, "call_id", "id", "toolCallId", "tool_call_id", "toolUseId", "tool_use_id")
    if not isinstance(name, str) or not (name or call_id):
        return None
    return ToolCallPart(
        id=call_id if isinstance(call_id, str) else None,
        name=name or UNNAMED,
        arguments=read_arguments(first_value(function, "arguments", "args", "input")),
    )


def function_of(item: dict[str, Any]) -> dict[str, Any]:
    """Return the object with name and arguments, or name and schema, which OpenAI puts one level down."""
    inner = item.get("function")
    return inner if isinstance(inner, dict) else item


def read_parts(items: list[Any]) -> list[MessagePart]:
    """Read the parts in a list; a call that the provider executed has its answer, unless that is a separate part."""
    parts: list[MessagePart] = []
    for item in items:
        if _is_hosted(item):
            parts += _with_answer(item, items)
        elif (part := read_part(item)) is not None:
            parts.append(part)
    return parts


def _is_hosted(item: Any) -> bool:
    """Return whether this is a call that the provider executes."""
    kind = item.get("type") if isinstance(item, dict) else None
    return isinstance(kind, str) and kind in _HOSTED


def _with_answer(item: dict[str, Any], items: list[Any]) -> Iterator[MessagePart]:
    if _is_approval(item.get("server_tool_call")):
        yield GenericPart(kind=str(_type_of(item["server_tool_call"])), content=item)
        return
    call, answer = split_call(item)
    part = tool_call_of(call)
    if part is not None:
        yield part
        yield from () if _is_answered(item, items) else (answer,)


def _is_answered(call: dict[str, Any], items: list[Any]) -> bool:
    answers = (item for item in items if isinstance(item, dict) and item.get("type") == "server_tool_call_response")
    return any(item.get("id") == call.get("id") for item in answers)


def read_part(item: Any) -> MessagePart | None:
    if isinstance(item, str):
        return TextPart(content=item)
    if not isinstance(item, dict):
        return None
    kind = item.get("type")
    read = _READERS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        return read(_lift(item) if isinstance(item.get("content"), dict) else item)
    if "type" not in item:
        return _read_block(item)
    return GenericPart(kind=str(kind or "unknown"), content={k: v for k, v in item.items() if k != "type"})


def _lift(item: dict[str, Any]) -> dict[str, Any]:
    """Lift a call or output of Azure AI Foundry, which is one level down: `{"type": "tool_call", "content": {…}}`.

    A tool that the service runs itself is named by its type, under which what it was called with may stand.
    """
    inner = item["content"]
    if item["type"] not in _LIFTED or item.keys() - {"type", "content"}:
        return item
    kind = inner.get("type")
    if item["type"] == "tool_call" and not inner.keys() & {"name", "function"}:
        args = inner.get(kind, {key: value for key, value in inner.items() if key not in ("type", "id")})
        return {"id": inner.get("id"), "name": kind, "arguments": args}
    return {**inner, "type": kind}


def _text_part(item: dict[str, Any]) -> MessagePart | None:
    return text_part(_unwrap_text(first_value(item, "content", "text", "refusal")))


def _unwrap_text(text: Any) -> Any:
    """Return the text of OpenAI's Assistants, `{"value": …, "annotations": […]}`."""
    return text["value"] if isinstance(text, dict) and isinstance(text.get("value"), str) else text


def _read_reasoning(item: dict[str, Any]) -> MessagePart | None:
    """Read the model's reasoning; OpenAI may only have its summary, as a list of texts."""
    content = next((content for key in ("content", "text", "thinking", "summary") if (content := item.get(key))), None)
    text = content_blocks(content) if isinstance(content, list) else as_text(content)
    return None if text is None else ReasoningPart(content=text)


def _server_response(item: dict[str, Any]) -> MessagePart:
    payload = item.get("server_tool_call_response")
    if _is_approval(payload):
        return GenericPart(kind=str(_type_of(payload)), content=item)
    if isinstance(payload, dict) and payload.keys() == {"type", "output"}:
        payload = payload["output"]
    return _read_response({**item, "response": payload})


def _server_call(item: dict[str, Any]) -> MessagePart | None:
    """Read a call of a tool that the model's provider runs: its arguments are beside the type of the tool."""
    given_input = item.get("input")
    args = (
        {key: value for key, value in given_input.items() if key != "type"}
        if isinstance(given_input, dict)
        else given_input
    )
    return tool_call_of({"name": _type_of(given_input), **item, "arguments": args})


def _is_approval(payload: Any) -> bool:
    """Return whether this is an approval, which Microsoft.Extensions.AI has among the calls of servers."""
    return str(_type_of(payload)) in {"mcp_approval_request", "mcp_approval_response"}


def _type_of(payload: Any) -> Any:
    return payload.get("type") if isinstance(payload, dict) else None


def is_typed(content: Any) -> bool:
    """Return whether a tool's message holds several results as parts, and not one result."""
    kinds = {"tool-result", "tool_result", "tool_call_response", "tool_call_output", "function_call_output"}
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return any(str(part.get("type")) in kinds or not _ANSWERS.isdisjoint(part) for part in parts)


def is_part(item: dict[str, Any]) -> bool:
    """Return whether an object is a part of a message, as opposed to any other object in its place."""
    return str(item.get("type")) in _READERS if "type" in item else is_block(item)


def is_block(item: Any) -> bool:
    """Return whether this is a content block of Bedrock or Gemini, whose key is its type, or one of Strands'."""
    return isinstance(item, dict) and (bool(item.keys() & _UNTYPED) or item.get("type") in {"toolUse", "toolResult"})


def text_part(value: Any) -> MessagePart | None:
    """Read a text; a placeholder becomes a part without text."""
    text = as_text(value)
    if text is None or text in _EMPTY:
        return None
    return GenericPart(kind=REDACTED, content={"text": text}) if is_placeholder(text) else TextPart(content=text)


def _read_block(item: dict[str, Any]) -> MessagePart | None:
    """Read Bedrock's and Gemini's blocks: `{"text"}`, `{"thought"}`, `{"toolUse": {…}}`, `{"function_response"}`."""
    text = _unwrap_text(item.get("text"))
    if isinstance(text, str):
        return ReasoningPart(content=text) if item.get("thought") is True else text_part(text)
    for key in item.keys() & _UNTYPED:
        inner = item[key]
        if isinstance(inner, dict) and key in _ASKS:
            return tool_call_of(inner)
        if isinstance(inner, dict) and key in _ANSWERS:
            return _read_response(inner)
    return GenericPart(kind="unknown", content=item)


def _read_response(item: dict[str, Any]) -> ToolCallResponsePart:
    call_id = first_value(item, "call_id", "id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId")
    name = item.get("name")
    output = first_value(item, "response", "result", "output", "content")
    is_marked = "error" in (item.get("status"), item.get("state")) or first_value(item, "is_error", "isError") is True
    return ToolCallResponsePart(
        id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        response=content_blocks(_unwrap_value(output)),
        is_error=is_marked or _says_error(output) or mcp_error(output) is not None,
    )


def _unwrap_value(output: Any) -> Any:
    """Return the value in a result of the Vercel AI SDK, `{"type": "json", "value": …}`."""
    return output["value"] if isinstance(output, dict) and output.keys() == {"type", "value"} else output


def _says_error(output: Any) -> bool:
    """Return whether the type of a result is an error: `error-text`, `web_search_tool_result_error`."""
    kind = str(output.get("type")) if isinstance(output, dict) else ""
    return kind.startswith("error-") or kind.endswith("_tool_result_error")


def first_value(item: dict[str, Any], *keys: str) -> Any:
    for key in keys:
        value = item.get(key)
        if value is not None:
            return value
    return None


_READERS: dict[str, Callable[[dict[str, Any]], MessagePart | None]] = {
    "text": _text_part,
    "input_text": _text_part,
    "refusal": _text_part,
    "output_text": _text_part,
    "reasoning": _read_reasoning,
    "thinking": _read_reasoning,
    "tool_call": tool_call_of,
    "tool_use": tool_call_of,
    "tool-call": tool_call_of,
    "toolCall": tool_call_of,
    "toolUse": tool_call_of,
    "function_call": tool_call_of,
    "tool_call_response": _read_response,
    "tool_result": _read_response,
    "tool-result": _read_response,
    "toolResult": _read_response,
    "function_call_output": _read_response,
    "tool_call_output": _read_response,
    "custom_tool_call": tool_call_of,
    "custom_tool_call_output": _read_response,
    "server_tool_use": _server_call,
    "server_tool_call_response": _server_response,
    "mcp_tool_use": tool_call_of,
    **dict.fromkeys(_SERVER_RESULTS, _read_response),
}
"""The types of parts, in the spellings of the conventions and of the vendors, and how each is read."""
