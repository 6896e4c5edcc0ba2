r"""Trajectories in OpenAI's format: messages with roles; calls in those of the assistant; results refer to calls by id.

    {"role": "assistant", "content": null, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"q\": \"refund\"}"}}]}
    {"role": "tool", "tool_call_id": "c1", "content": "14 days"}

Common variants are accepted: arguments as an object, no ids, `tool_calls: null`, no role, LangChain's `{name, args,
id}`, the items of the Responses API, Anthropic's blocks `tool_use` and `tool_result` within the content.
Sources: https://platform.openai.com/docs/api-reference/chat, https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..matching import same
from ..model import (
    GenericPart,
    JsonObject,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..text.json_kind import json_kind
from .spelling import Unreadable, entries, first, record, text_of
from .tool_calls import tool_call_part
from .waiting import Key, Waiting

__all__ = ["calls_in", "messages", "tool_calls"]

_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "function": "tool",
    "function_call": "assistant",
    "function_call_output": "tool",
}
_ANSWERED: Final = ("tool_call_id", "call_id")
_TEXTS: Final = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_ANYONE: Final[Key] = ("any", "")


def messages(trajectory: object, *, place: str = "trajectory") -> tuple[Message, ...]:
    """Return the messages in order. Raises ValueError that names `place` and the index of a message that cannot be
    read."""
    return tuple(_message(item, f"{place}[{index}]") for index, item in enumerate(entries(trajectory, place)))


def tool_calls(trajectory: object, *, place: str = "trajectory") -> tuple[ToolCall, ...]:
    """Return the calls of a trajectory, each with its result. Raises ValueError like `messages`."""
    return calls_in(messages(trajectory, place=place))


def calls_in(messages: Iterable[Message]) -> tuple[ToolCall, ...]:
    """Return the calls of the assistant in order, with the results that follow them.

    A result belongs to the first open call of its id; without an id, to the first open call (of its tool, if it names
    one). A call that is repeated before its result, with the same id, tool and arguments, counts once. Results that
    belong to no call are left out.
    """
    log = _Log()
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                log.ask(part)
            elif isinstance(part, ToolCallResponsePart):
                log.answer(part)
    return tuple(log.calls)


class _Log:
    """The calls so far, and which of them have no result yet."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self._waiting = Waiting()

    def ask(self, part: ToolCallPart) -> None:
        if self._is_repeated(part):
            return
        keys: list[Key] = [_ANYONE, ("name", part.name)]
        if part.id is not None:
            keys.append(("id", part.id))
        self._waiting.add(len(self.calls), *keys)
        self.calls.append(_call(part))

    def answer(self, part: ToolCallResponsePart) -> None:
        key: Key = ("id", part.id) if part.id is not None else ("name", part.name) if part.name else _ANYONE
        position = self._waiting.take(key)
        if position is None:
            return
        status = "error" if part.is_error else "ok"
        self.calls[position] = self.calls[position].model_copy(update={"result": part.response, "status": status})

    def _is_repeated(self, part: ToolCallPart) -> bool:
        position = None if part.id is None else self._waiting.first(("id", part.id))
        if position is None:
            return False
        earlier, repeated = self.calls[position], _call(part)
        return (
            earlier.name == repeated.name
            and earlier.args_text == repeated.args_text
            and same(earlier.args, repeated.args)
        )


def _call(part: ToolCallPart) -> ToolCall:
    is_object = isinstance(part.arguments, dict)
    return ToolCall(
        name=part.name,
        id=part.id,
        args=part.arguments if is_object else None,
        args_text=None if is_object else part.arguments,
        source="message",
    )


def _message(value: object, place: str) -> Message:
    item = record(value, place)
    role, name = _role(item), item.get("name")
    parts = (_result(item),) if role == "tool" else tuple(_message_parts(item, place))
    return Message(role=role, name=name if isinstance(name, str) else None, parts=parts)


def _role(item: JsonObject) -> str:
    """Return the role, inferred if it is missing: only results refer to a call, only the assistant makes calls."""
    role = item.get("role") or item.get("type")
    if isinstance(role, str):
        return _ROLES.get(role, role)
    if first(item, _ANSWERED) is not None:
        return "tool"
    return "assistant" if item.get("tool_calls") or item.get("function_call") else "unknown"


def _message_parts(item: JsonObject, place: str) -> Iterator[MessagePart]:
    thought = item.get("reasoning_content")
    if isinstance(thought, str) and thought:
        yield ReasoningPart(content=thought)
    yield from _content(item.get("content"), f"{place}.content")
    calls = item.get("tool_calls")
    for index, call in enumerate([] if calls is None else entries(calls, f"{place}.tool_calls")):
        yield tool_call_part(call, f"{place}.tool_calls[{index}]")
    if item.get("function_call") is not None:
        yield tool_call_part(item["function_call"], f"{place}.function_call")
    if item.get("type") == "function_call":
        yield tool_call_part(item, place)


def _content(content: Any, place: str) -> Iterator[MessagePart]:
    if isinstance(content, list):
        yield from (_part(part, f"{place}[{index}]") for index, part in enumerate(content))
    elif isinstance(content, str):
        yield from [TextPart(content=content)] if content else []
    elif content is not None:
        raise Unreadable(f"{place} is {json_kind(content)}; write text or a list of parts")


def _part(value: object, place: str) -> MessagePart:
    if isinstance(value, str):
        return TextPart(content=value)
    item = record(value, place)
    sort = item.get("type", "text" if "text" in item else "unknown")
    if sort == "tool_use":
        return tool_call_part(item, place)
    if sort == "tool_result":
        return _result({**item, "call_id": item.get("tool_use_id")})
    if sort == "thinking" and isinstance(item.get("thinking"), str):
        return ReasoningPart(content=item["thinking"])
    text = item.get(_TEXTS[sort]) if isinstance(sort, str) and sort in _TEXTS else None
    if isinstance(text, str):
        return TextPart(content=text)
    return GenericPart(kind=str(sort), content={key: value for key, value in item.items() if key != "type"})


def _result(item: JsonObject) -> ToolCallResponsePart:
    answered, name = first(item, _ANSWERED), item.get("name")
    return ToolCallResponsePart(
        id=None if answered is None else str(answered),
        name=name if isinstance(name, str) and name else None,
        response=_response(first(item, ("content", "output"))),
        is_error=item.get("status") == "error" or item.get("is_error") is True,
    )


def _response(content: Any) -> str | None:
    """Return the result of a tool as text: if all its parts are text, they are joined by line breaks."""
    if isinstance(content, list) and content:
        texts = [part.get("text") if isinstance(part, dict) else part for part in content]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(map(str, texts))
    return text_of(content)
