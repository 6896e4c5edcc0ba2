"""Reads the list of events that AgentV called a trace until January 2026.

    {"trace": [{"type": "tool_call", "timestamp": "…", "id": "call_1", "name": "search", "input": {…}},
               {"type": "tool_result", "timestamp": "…", "id": "call_1", "name": "search", "output": {…}}]}

Other types are `message` and `model_step` with `text`, and `error`.
Source: https://github.com/EntityProcess/agentv, packages/core/src/evaluation/trace.ts before commit d5d572ab.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...model import (
    AgentTrace,
    JsonObject,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..field_values import object_at, text_at, time_at
from ..spelling import Unreadable, arguments, entries, record, text_of
from ..waiting import Key, Waiting

__all__ = ["read_events"]

_TEXTS: Final[Mapping[str, type[TextPart | ReasoningPart]]] = {"message": TextPart, "model_step": ReasoningPart}


def read_events(events: object, place: str) -> AgentTrace:
    """Return the run in a list of events. Raises ValueError that names the event that cannot be read."""
    log = _Log()
    for position, event in enumerate(entries(events, place)):
        at = f"{place}[{position}]"
        log.add(record(event, at), at)
    answers = [message.text for message in log.messages if message.role == "assistant" and message.text]
    return AgentTrace(
        messages=tuple(log.messages),
        tool_calls=tuple(log.calls),
        final_response=answers[-1] if answers else None,
        error=log.error,
    )


class _Log:
    """What happened so far, and which calls have no result yet."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.calls: list[ToolCall] = []
        self.error: str | None = None
        self._waiting = Waiting()

    def add(self, event: JsonObject, place: str) -> None:
        sort = event.get("type")
        if sort == "tool_call":
            self._ask(event, place)
        elif sort == "tool_result":
            self._answer(event, place)
        elif isinstance(sort, str) and sort in _TEXTS:
            self._say(event, place, _TEXTS[sort](content=text_at(event, "text", place) or ""))
        elif sort == "error":
            self.error = text_at(event, "text", place) or text_of(event.get("output"))
        else:
            raise Unreadable(f"{place}.type is {sort!r}; write tool_call, tool_result, message, model_step or error")

    def _say(self, event: JsonObject, place: str, part: MessagePart) -> None:
        role = (object_at(event, "metadata", place) or {}).get("role", "assistant")
        self.messages.append(Message(role=str(role), parts=(part,), time=time_at(event, "timestamp", place)))

    def _ask(self, event: JsonObject, place: str) -> None:
        name, call_id = text_at(event, "name", place), text_at(event, "id", place)
        if not name:
            raise Unreadable(f"{place} has no name; write the tool's")
        given: Any = arguments(event.get("input"))
        time = time_at(event, "timestamp", place)
        call = ToolCall(
            name=name,
            id=call_id,
            args=given if isinstance(given, dict) else None,
            args_text=given if isinstance(given, str) else None,
            status=None,
            started_at=time,
            source="message",
            metadata=object_at(event, "metadata", place) or {},
        )
        self._waiting.add(len(self.calls), *_keys(call_id, name))
        self.calls.append(call)
        part = ToolCallPart(id=call_id, name=name, arguments=given)
        self.messages.append(Message(role="assistant", parts=(part,), time=time))

    def _answer(self, event: JsonObject, place: str) -> None:
        name, call_id = text_at(event, "name", place), text_at(event, "id", place)
        result = text_of(event.get("output"))
        position = self._waiting.take(*_keys(call_id, name))
        if position is None:
            raise Unreadable(f"{place} is the result of a call that is not before it: {call_id or name or 'no id'}")
        self.calls[position] = self.calls[position].model_copy(update={"result": result, "status": "ok"})
        part = ToolCallResponsePart(id=call_id, name=name, response=result)
        self.messages.append(Message(role="tool", parts=(part,), time=time_at(event, "timestamp", place)))


def _keys(call_id: str | None, name: str | None) -> list[Key]:
    keys: list[Key] = [("id", call_id)] if call_id else []
    return [*keys, ("name", name)] if name else keys
