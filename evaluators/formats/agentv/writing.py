"""Writes runs in AgentV's format."""

from __future__ import annotations

from typing import Any

import orjson

from ...model import (
    AgentTrace,
    GenericPart,
    JsonObject,
    LlmCall,
    Message,
    MessagePart,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..requested_call import take_call

__all__ = ["write_run"]


def write_run(trace: AgentTrace) -> JsonObject:
    """Return the run in AgentV's format; `read_run` reads the same messages and calls from it.

    Calls that no message requests are in an additional message at the end.
    """
    waiting = list(trace.tool_calls)
    by_span = {call.span_id: call for call in trace.llm_calls if call.span_id is not None}
    messages = [_write_message(message, waiting, by_span) for message in trace.messages]
    if waiting:
        messages.append({"role": "assistant", "tool_calls": [_write_call(call) for call in waiting]})
    if not trace.messages and trace.final_response is not None:
        messages.append({"role": "assistant", "content": trace.final_response})
    return _without_none(
        {
            "output_messages": messages,
            "duration_ms": trace.duration_ms,
            "cost_usd": trace.cost_usd,
            "token_usage": _write_tokens(trace),
            "start_time": None if trace.started_at is None else trace.started_at.isoformat(),
            "end_time": None if trace.ended_at is None else trace.ended_at.isoformat(),
        }
    )


def _write_tokens(spent: AgentTrace | LlmCall) -> JsonObject | None:
    tokens = _without_none(
        {
            "input": spent.input_tokens,
            "output": spent.output_tokens,
            "cached": spent.cached_input_tokens,
            "reasoning": spent.reasoning_tokens if isinstance(spent, LlmCall) else None,
        }
    )
    return tokens or None


def _write_message(message: Message, waiting: list[ToolCall], by_span: dict[str, LlmCall]) -> JsonObject:
    calls = [_write_call(take_call(part, waiting)) for part in message.tool_calls]
    content = [_write_part(part) for part in message.parts if not isinstance(part, ToolCallPart)]
    is_text = len(content) == 1 and isinstance(content[0], str)
    written = (content[0] if is_text else content) if content else None
    llm_call = by_span.pop(message.span_id, None) if message.span_id and message.role == "assistant" else None
    return _without_none(
        {
            "role": message.role,
            "name": message.name,
            "content": written,
            "tool_calls": calls or None,
            "start_time": None if message.time is None else message.time.isoformat(),
            "duration_ms": None if llm_call is None else llm_call.duration_ms,
            "token_usage": None if llm_call is None else _write_tokens(llm_call),
        }
    )


def _write_call(call: ToolCall) -> JsonObject:
    unknown: JsonObject = {"status": None} if call.status is None else {}
    return unknown | _without_none(
        {
            "tool": call.name,
            "input": call.args_text if call.args is None else call.args,
            "output": _as_value(call.result),
            "id": call.id,
            "timestamp": None if call.started_at is None else call.started_at.isoformat(),
            "duration_ms": call.duration_ms,
            "error": call.error,
            "status": None if call.status == "ok" else call.status,
            "metadata": call.metadata or None,
        }
    )


def _write_part(part: MessagePart) -> Any:
    match part:
        case TextPart() | ReasoningPart():
            return part.content
        case ToolCallResponsePart():
            return part.response
        case GenericPart(kind="value"):
            return part.content.get("value")
        case GenericPart():
            return part.content
    return None


def _as_value(text: str | None) -> Any:
    """Return the object or list of a JSON text that is written exactly as we write it; any other text as it is."""
    if text is None or text[:1] not in {"{", "["}:
        return text
    try:
        value = orjson.loads(text)
        return value if ToolCall.result_json(value) == text else text
    except (TypeError, ValueError):
        return text


def _without_none(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if value is not None}
