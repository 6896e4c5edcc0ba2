"""Messages, tool calls and tool definitions in all their spellings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
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

from ..envelopes import content_blocks, mcp_error
from ..values import REDACTED, as_object, as_text, decode_text, is_placeholder
from .server_tools import HOSTED_CALLS, call_and_answer

__all__ = [
    "arguments",
    "definitions",
    "indexed",
    "message",
    "messages",
    "role_of",
    "system_message",
    "tool_call_of",
    "unwrapped",
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
_ROLES = {"model": "assistant", "ai": "assistant", "human": "user"}
"""The roles of Google and LangChain."""
_LIFTED = frozenset({"tool_call", "tool_call_output"})
_ITEMS = {"function_call": "assistant", "custom_tool_call": "assistant", "reasoning": "assistant"} | dict.fromkeys(
    ("function_call_output", "custom_tool_call_output"), "tool"
)
"""Items of OpenAI's Responses API that are beside messages, and whose they are."""
_UNPARSED = frozenset({"INVALID_JSON", "_raw"})
"""Under these Pydantic AI and Traceloop put arguments of a model that are no JSON object."""
_HOSTED = frozenset({"server_tool_call", *HOSTED_CALLS})
_REMEMBERED_CHARACTERS = 65_536
_INDEXED = re.compile(r"(\d+)\.(.+)")
_TOOL_NAME = re.compile(r"[\w.:/-]{1,128}")


def messages(value: Any) -> tuple[Message, ...] | None:
    """Messages as the GenAI conventions write them (structured or as JSON text); None when there are none."""
    decoded = decode_text(value)
    if isinstance(decoded, dict):
        held = decoded.get("messages", decoded.get("choices"))
        decoded = held if isinstance(held, list) else [decoded]
    if not isinstance(decoded, list):
        return None
    return tuple([message(unwrapped(item)) for item in decoded if isinstance(item, dict)])


def message(item: dict[str, Any]) -> Message:
    """One message: `parts`, or the older `content` with `tool_calls` beside it; or a part that stands for itself."""
    name = item.get("name")
    owner = _ITEMS.get(str(item.get("type"))) if item.get("role") is None else None
    if owner is not None:
        return Message(role=owner, parts=tuple(filter(None, (_part(item),))))
    parts = tuple(_parts(item))
    return Message(role=_role(item, parts), name=name if isinstance(name, str) else None, parts=parts)


def _role(item: dict[str, Any], parts: Iterable[MessagePart]) -> str:
    """Whose message this is; one that asks for a tool is the model's, also where the tool is said to speak."""
    role = role_of(item.get("role"))
    is_call = role == "tool" and any(isinstance(part, ToolCallPart) for part in parts)
    return "assistant" if is_call else role


def role_of(value: Any) -> str:
    """Whose a message is, in small letters and in the words of OpenAI."""
    if not isinstance(value, str):
        return "unknown"
    role = value.lower()
    return _ROLES.get(role, role)


def unwrapped(item: dict[str, Any]) -> dict[str, Any]:
    """The message of a choice, `{"finish_reason", "message"}`, as OpenAI's API returns it."""
    inner = item.get("message")
    return inner if "role" not in item and isinstance(inner, dict) else item


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
    call_id = _first(item, "call_id", "id", "toolCallId", "tool_call_id", "toolUseId", "tool_use_id")
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
    """A definition; some instrumentations record the names of the tools alone."""
    if isinstance(item, str) and _TOOL_NAME.fullmatch(item):
        return ToolDefinition(name=item)
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
        read = _listed(parts)
        return _answer_in_text(item, read) or read + _calls_beside(item, read)
    return [*_content(item), *_calls_beside(item, ())]


def _calls_beside(item: dict[str, Any], parts: Iterable[MessagePart]) -> list[MessagePart]:
    """The calls under `tool_calls`, unless the parts have calls of their own."""
    recorded = item.get("tool_calls")
    calls = decode_text(recorded) if recorded else None
    if not isinstance(calls, list) or any(isinstance(part, ToolCallPart) for part in parts):
        return []
    return [part for call in map(as_object, calls) if call and (part := tool_call_of(call)) is not None]


def _answer_in_text(item: dict[str, Any], parts: list[MessagePart]) -> list[MessagePart] | None:
    """The result of a tool whose message names the call beside parts that are texts alone, as LiteLLM writes it."""
    call_id = item.get("tool_call_id")
    if item.get("role") != "tool" or not isinstance(call_id, str):
        return None
    texts = [part.content for part in parts if isinstance(part, TextPart)]
    if len(texts) != len(parts):
        return None
    return [ToolCallResponsePart(id=call_id, response="\n".join(texts))]


def _content(item: dict[str, Any]) -> Iterable[MessagePart]:
    content = _first(item, "content", "refusal")
    is_answer = str(item.get("role")).lower() == "tool" and (content is not None or not item.get("tool_calls"))
    if is_answer and isinstance(content, str) and _is_typed(decode_text(content)):
        content = decode_text(content)
    if is_answer and not _is_typed(content):
        call_id = _first(item, "tool_call_id", "id")
        answer = content_blocks(content) if isinstance(content, list) else as_text(content)
        yield ToolCallResponsePart(id=call_id if isinstance(call_id, str) else None, response=answer)
        return
    if isinstance(content, str) and content:
        blocks = decode_text(content)
        if isinstance(blocks, list) and blocks and all(_is_block(block) for block in blocks):
            content = blocks
        else:
            yield from filter(None, (_text(content),))
    if isinstance(content, dict):
        is_part = str(content.get("type")) in _PARTS if "type" in content else _is_block(content)
        yield from filter(None, (_part(content) if is_part else _text(content),))
    if isinstance(content, list):
        yield from _listed(content)


def _listed(items: list[Any]) -> list[MessagePart]:
    """The parts in a list."""
    if any(map(_is_hosted, items)):
        return [part for item in items for part in _with_answer(item, items)]
    return [part for item in items if (part := _part(item)) is not None]


def _is_hosted(item: Any) -> bool:
    """Whether this is a call that the provider carries out."""
    kind = item.get("type") if isinstance(item, dict) else None
    return isinstance(kind, str) and kind in _HOSTED


def _with_answer(item: Any, items: list[Any]) -> Iterator[MessagePart]:
    """The part; of a call that the provider carried out also the answer, where it has no part of its own."""
    if not _is_hosted(item):
        yield from filter(None, (_part(item),))
        return
    if _is_approval(item.get("server_tool_call")):
        yield GenericPart(kind=str(_named(item["server_tool_call"])), content=item)
        return
    call, answer = call_and_answer(item)
    part = tool_call_of(call)
    if part is not None:
        yield part
        yield from () if _is_answered(item, items) else (answer,)


def _is_answered(call: dict[str, Any], items: list[Any]) -> bool:
    answers = (item for item in items if isinstance(item, dict) and item.get("type") == "server_tool_call_response")
    return any(item.get("id") == call.get("id") for item in answers)


def _part(item: Any) -> MessagePart | None:
    if isinstance(item, str):
        return TextPart(content=item)
    if not isinstance(item, dict):
        return None
    kind = item.get("type")
    read = _PARTS.get(kind) if isinstance(kind, str) else None
    if read is not None:
        return read(_lifted(item) if isinstance(item.get("content"), dict) else item)
    if "type" not in item:
        return _untyped(item)
    return GenericPart(kind=str(kind or "unknown"), content={k: v for k, v in item.items() if k != "type"})


def _lifted(item: dict[str, Any]) -> dict[str, Any]:
    """Azure AI Foundry has a call and its output one level down: `{"type": "tool_call", "content": {…}}`.

    A tool that the service runs itself is named by its type, under which what it was called with may stand.
    """
    held = item["content"]
    if item["type"] not in _LIFTED or item.keys() - {"type", "content"}:
        return item
    kind = held.get("type")
    if item["type"] == "tool_call" and not held.keys() & {"name", "function"}:
        args = held.get(kind, {key: value for key, value in held.items() if key not in ("type", "id")})
        return {"id": held.get("id"), "name": kind, "arguments": args}
    return {**held, "type": kind}


def _text_part(item: dict[str, Any]) -> MessagePart | None:
    return _text(_valued_text(_first(item, "content", "text")))


def _valued_text(text: Any) -> Any:
    """OpenAI's Assistants have a text as `{"value": …, "annotations": […]}`."""
    return text["value"] if isinstance(text, dict) and isinstance(text.get("value"), str) else text


def _reasoning(item: dict[str, Any]) -> MessagePart | None:
    """What the model thought; OpenAI has the summary of it, as a list of texts, where it does not tell all."""
    told = next((told for key in ("content", "text", "thinking", "summary") if (told := item.get(key))), None)
    text = content_blocks(told) if isinstance(told, list) else as_text(told)
    return None if text is None else ReasoningPart(content=text)


def _server_response(item: dict[str, Any]) -> MessagePart:
    held = item.get("server_tool_call_response")
    if _is_approval(held):
        return GenericPart(kind=str(_named(held)), content=item)
    if isinstance(held, dict) and held.keys() == {"type", "output"}:
        held = held["output"]
    return _response({**item, "response": held})


def _server_call(item: dict[str, Any]) -> MessagePart | None:
    """A tool that the model's provider runs: what it was called with stands beside the type of the tool."""
    held = item.get("input")
    args = {key: value for key, value in held.items() if key != "type"} if isinstance(held, dict) else held
    return tool_call_of({"name": _named(held), **item, "arguments": args})


def _is_approval(held: Any) -> bool:
    """Microsoft.Extensions.AI has what waits for a person's approval, and the answer, among the calls of servers."""
    return str(_named(held)) in {"mcp_approval_request", "mcp_approval_response"}


def _named(held: Any) -> Any:
    return held.get("type") if isinstance(held, dict) else None


def _is_typed(content: Any) -> bool:
    """Whether a tool's message holds results as parts of their own, and not one result."""
    kinds = {"tool-result", "tool_result", "tool_call_response", "tool_call_output", "function_call_output"}
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return any(part.get("type") in kinds or not _ANSWERS.isdisjoint(part) for part in parts)


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
    text = _valued_text(item.get("text"))
    if isinstance(text, str):
        return ReasoningPart(content=text) if item.get("thought") is True else _text(text)
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
    is_said = item.get("status") == "error" or _first(item, "is_error", "isError") is True
    return ToolCallResponsePart(
        id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        response=content_blocks(_valued(output)),
        is_error=is_said or _says_error(output) or mcp_error(output) is not None,
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
    "tool_call_output": _response,
    "custom_tool_call": tool_call_of,
    "custom_tool_call_output": _response,
    "server_tool_use": _server_call,
    "server_tool_call_response": _server_response,
    "mcp_tool_use": tool_call_of,
    **dict.fromkeys(_SERVER_RESULTS, _response),
}
"""The types of parts, in the spellings of the conventions and of the vendors, and how each is read."""
