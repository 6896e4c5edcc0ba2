"""The run that a trace tells of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from ...model import (
    AgentTrace,
    Message,
    MessagePart,
    Reference,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..waiting import Key, Waiting
from .record import Answer, Call, Spoken, Told, Turn

__all__ = ["run_of"]

_OUR_ROLES: Final = {"human": "user", "ai": "assistant"}


def run_of(told: Told, asked: str, reference: Reference | None) -> AgentTrace:
    """The run, with what was asked and what was expected. What the sample leaves out was not recorded."""
    start, end = told.start_time, told.end_time
    return AgentTrace(
        agent_name=told.agent_name,
        input=asked,
        messages=tuple(map(_message, told.messages)),
        tool_calls=_tool_calls(told.messages),
        final_response=told.final_response if "final_response" in told.model_fields_set else None,
        input_tokens=told.prompt_tokens,
        output_tokens=told.completion_tokens,
        started_at=None if start is None else _at(start),
        ended_at=None if end is None else _at(end),
        duration_ms=None if start is None or end is None or end < start else (end - start) * 1000,
        reference=reference,
    )


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _message(told: Spoken) -> Message:
    return Message(role=_OUR_ROLES.get(told.role, told.role), parts=tuple(_parts(told)))


def _parts(told: Spoken) -> Iterator[MessagePart]:
    if isinstance(told, Answer):
        yield ToolCallResponsePart(id=told.tool_call_id, name=told.tool_name or None, response=told.content)
        return
    if told.content:
        yield TextPart(content=told.content)
    if isinstance(told, Turn):
        yield from (ToolCallPart(id=_id(call), name=call.name, arguments=call.args) for call in told.tool_calls)


def _id(call: Call) -> str | None:
    return call.id if isinstance(call.id, str) else None


def _tool_calls(messages: Sequence[Spoken]) -> tuple[ToolCall, ...]:
    """The calls. An answer belongs to the first that waits under its id, else to the first of its tool."""
    calls: list[Call] = []
    results: dict[int, str] = {}
    waiting = Waiting()
    for message in messages:
        if isinstance(message, Turn):
            for position, call in enumerate(message.tool_calls, len(calls)):
                waiting.add(position, *_keys(_id(call), call.name))
            calls += message.tool_calls
        elif isinstance(message, Answer):
            answered = waiting.take(*_keys(message.tool_call_id, message.tool_name))
            if answered is not None:
                results[answered] = message.content
    return tuple(
        ToolCall(id=_id(call), name=call.name, args=call.args, result=results.get(position), source="message")
        for position, call in enumerate(calls)
    )


def _keys(call_id: str | None, tool: str) -> list[Key]:
    by_id: list[Key] = [("id", call_id)] if call_id else []
    return [*by_id, ("name", tool)] if tool else by_id
