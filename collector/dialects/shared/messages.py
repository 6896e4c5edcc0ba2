"""Reads messages in all their spellings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import orjson

from tracegrade.evaluators.model import Message, MessagePart, TextPart, ToolCallPart, ToolCallResponsePart

from ...spans.envelopes import content_blocks
from ...spans.frozen import copy_with
from ...spans.values import as_object, as_text, decode_text
from .parts import first_value, is_block, is_part, is_typed, read_part, read_parts, text_part, tool_call_of

__all__ = ["collect_indexed", "message", "messages", "role_of", "system_message", "unwrap_choice"]

_ROLES = {"model": "assistant", "ai": "assistant", "human": "user", "developer": "system"}
"""The roles of Google and LangChain, and OpenAI's newer name for the system's."""
_ITEMS = {"function_call": "assistant", "custom_tool_call": "assistant", "reasoning": "assistant"} | dict.fromkeys(
    ("function_call_output", "custom_tool_call_output"), "tool"
)
"""Items of OpenAI's Responses API that are beside messages, and whose they are."""
_FIELDS = frozenset({"role", "content", "parts", "tool_calls", "message", "refusal", "type"})
"""What an object has that is a message: any of these."""
_MESSAGE = frozenset({"role", "parts"})
"""What a message has, and no part of one."""
_LONGEST = 8_192
"""The size of the longest message, as JSON, that is kept in memory to be read again."""
_INDEXED = re.compile(r"(\d+)\.(.+)")


def messages(value: Any, role: str = "unknown") -> tuple[Message, ...] | None:
    """Read messages of the GenAI conventions (structured or as JSON text); None when there are none.

    A text in a list is a message of `role`.
    """
    decoded = decode_text(value)
    if isinstance(decoded, dict):
        listed = decoded.get("messages", decoded.get("choices"))
        decoded = listed if isinstance(listed, list) else [decoded]
    if not isinstance(decoded, list):
        return None
    turns = [message(_as_fields(item, role)) for item in decoded if _is_message(item)]
    return tuple(turns) if turns or not decoded else None


def _is_message(item: Any) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and not _FIELDS.isdisjoint(item))


def _as_fields(item: Any, role: str) -> dict[str, Any]:
    return {"role": role, "content": item} if isinstance(item, str) else unwrap_choice(item)


def message(item: dict[str, Any]) -> Message:
    """Read one message: `parts`, or the older `content` with `tool_calls` beside it; or a single part."""
    try:
        text = orjson.dumps(item)
    except TypeError:  # numbers or texts that JSON does not have
        return _read_message(item)
    if len(text) > _LONGEST:
        return _read_message(item)
    read = _read_again(text)
    return copy_with(read, parts=tuple(map(_as_own, read.parts))) if read.tool_calls else read


def _as_own(part: MessagePart) -> MessagePart:
    """Return a call as one of its own: calls without ids are told apart by their identity."""
    return copy_with(part) if isinstance(part, ToolCallPart) else part


@lru_cache(maxsize=512)
def _read_again(text: bytes) -> Message:
    """Read a message from JSON: a request repeats those of the one before, so that most have been read already."""
    return _read_message(orjson.loads(text))


def _read_message(item: dict[str, Any]) -> Message:
    name = item.get("name")
    owner = _ITEMS.get(str(item.get("type"))) if item.get("role") is None else None
    if owner is not None:
        return Message(role=owner, parts=tuple(filter(None, (read_part(item),))))
    parts = tuple(_parts(item))
    return Message(role=_role(item, parts), name=name if isinstance(name, str) else None, parts=parts)


def _role(item: dict[str, Any], parts: Iterable[MessagePart]) -> str:
    """Return the role of a message; one that requests a tool is the model's, even under the role of a tool."""
    role = role_of(item.get("role"))
    is_call = role == "tool" and any(isinstance(part, ToolCallPart) for part in parts)
    return "assistant" if is_call else role


def role_of(value: Any) -> str:
    """Return a role in lower case and in the words of OpenAI."""
    if not isinstance(value, str):
        return "unknown"
    role = value.lower()
    return _ROLES.get(role, role)


def unwrap_choice(item: dict[str, Any]) -> dict[str, Any]:
    """Return the message of a choice, `{"finish_reason", "message"}`, as OpenAI's API returns it."""
    inner = item.get("message")
    return inner if "role" not in item and isinstance(inner, dict) else item


def system_message(value: Any) -> Message:
    """Read system instructions, a text, a list of parts or one or more messages, as a message of their own."""
    decoded = decode_text(value)
    if isinstance(decoded, dict) and not _MESSAGE.isdisjoint(decoded):
        decoded = [decoded]
    if not isinstance(decoded, list):
        return message({"role": "system", "parts": [as_text(decoded)]})
    parts = [part for item in decoded for part in _instructions_in(item)]
    return Message(role="system", parts=tuple(parts))


def _instructions_in(item: Any) -> Iterable[MessagePart]:
    """Return the parts of a message, or the item itself as a part."""
    is_message = isinstance(item, dict) and not _MESSAGE.isdisjoint(item) and "type" not in item
    fields = {**item, "role": "system"} if is_message else {"role": "system", "parts": [item]}
    return message(fields).parts


def collect_indexed(flat: dict[str, Any]) -> list[dict[str, Any]]:
    """Return `{"0.a": 1, "10.a": 2}` as a list in the order of the numbers: the form of flattened lists."""
    groups: dict[int, dict[str, Any]] = {}
    for key, value in flat.items():
        if match := _INDEXED.fullmatch(key):
            groups.setdefault(int(match[1]), {})[match[2]] = value
    return [groups[index] for index in sorted(groups)]


def _parts(item: dict[str, Any]) -> list[MessagePart]:
    parts = item.get("parts")
    if isinstance(parts, list):
        read = read_parts(parts)
        return _answer_in_text(item, read) or read + _calls_beside(item, read)
    return [*_content(item), *_calls_beside(item, ())]


def _calls_beside(item: dict[str, Any], parts: Iterable[MessagePart]) -> list[MessagePart]:
    """Return the calls under `tool_calls`, unless the parts have calls of their own."""
    recorded = item.get("tool_calls")
    calls = decode_text(recorded) if recorded else None
    if not isinstance(calls, list) or any(isinstance(part, ToolCallPart) for part in parts):
        return []
    return [part for call in map(as_object, calls) if call and (part := tool_call_of(call)) is not None]


def _answer_in_text(item: dict[str, Any], parts: list[MessagePart]) -> list[MessagePart] | None:
    """Return a tool's result from text parts: LiteLLM names the call beside them, OpenLIT nowhere."""
    texts = [part.content for part in parts if isinstance(part, TextPart)] if item.get("role") == "tool" else []
    if not texts or len(texts) != len(parts):
        return None
    call_id = item.get("tool_call_id")
    return [ToolCallResponsePart(id=call_id if isinstance(call_id, str) else None, response="\n".join(texts))]


def _refusal(item: dict[str, Any]) -> str | None:
    """Return the text with which a model of OpenAI declined, which LangChain puts one level down."""
    beside = item.get("additional_kwargs")
    refusal = item.get("refusal") or (beside.get("refusal") if isinstance(beside, dict) else None)
    return refusal if isinstance(refusal, str) else None


def _content(item: dict[str, Any]) -> Iterable[MessagePart]:
    content = item.get("content") or _refusal(item) or item.get("content")
    is_answer = str(item.get("role")).lower() == "tool" and (content is not None or not item.get("tool_calls"))
    if is_answer and isinstance(content, str) and is_typed(decode_text(content)):
        content = decode_text(content)
    if is_answer and not is_typed(content):
        call_id = first_value(item, "tool_call_id", "id")
        answer = content_blocks(content) if isinstance(content, list) else as_text(content)
        yield ToolCallResponsePart(id=call_id if isinstance(call_id, str) else None, response=answer)
        return
    if isinstance(content, str) and content:
        blocks = decode_text(content)
        if isinstance(blocks, list) and blocks and all(is_block(block) for block in blocks):
            content = blocks
        else:
            yield from filter(None, (text_part(content),))
    if isinstance(content, dict):
        yield from filter(None, (read_part(content) if is_part(content) else text_part(content),))
    if isinstance(content, list):
        yield from read_parts(content)
