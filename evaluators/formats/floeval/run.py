"""Reads the run of a sample."""

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
from .record import Answer, Call, RecordedMessage, RecordedRun, Turn

__all__ = ["run_of"]

_OUR_ROLES: Final = {"human": "user", "ai": "assistant"}


def run_of(sample_trace: RecordedRun, request: str, reference: Reference | None) -> AgentTrace:
    """Return the run, with its request and its reference. What the sample leaves out is not recorded."""
    start, end = sample_trace.start_time, sample_trace.end_time
    return AgentTrace(
        agent_name=sample_trace.agent_name,
        input=request,
        messages=tuple(map(_message, sample_trace.messages)),
        tool_calls=_tool_calls(sample_trace.messages),
        final_response=sample_trace.final_response if "final_response" in sample_trace.model_fields_set else None,
        input_tokens=sample_trace.prompt_tokens,
        output_tokens=sample_trace.completion_tokens,
        started_at=None if start is None else _at(start),
        ended_at=None if end is None else _at(end),
        duration_ms=None if start is None or end is None or end < start else (end - start) * 1000,
        reference=reference,
    )


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _message(message: RecordedMessage) -> Message:
    return Message(role=_OUR_ROLES.get(message.role, message.role), parts=tuple(_parts(message)))


def _parts(message: RecordedMessage) -> Iterator[MessagePart]:
    if isinstance(message, Answer):
        yield ToolCallResponsePart(id=message.tool_call_id, name=message.tool_name or None, response=message.content)
        return
    if message.content:
        yield TextPart(content=message.content)
    if isinstance(message, Turn):
        yield from (ToolCallPart(id=_id(call), name=call.name, arguments=call.args) for call in message.tool_calls)


def _id(call: Call) -> str | None:
    return call.id if isinstance(call.id, str) else None


def _tool_calls(messages: Sequence[RecordedMessage]) -> tuple[ToolCall, ...]:
    """Return the calls with results. A result belongs to the first open call of its id, else of its tool."""
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
