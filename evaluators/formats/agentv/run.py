"""Reads the run that a provider of AgentV returns, in any of its versions.

A run is `output_messages[].tool_calls[]`, each `{tool, input, output, id, timestamp, duration_ms}`; later releases
write `output` and `start_time`, and messages with `start_time`, `duration_ms` and `token_usage`. Errors name the place:
`output_messages[2].tool_calls[0] has no name; ...`.
Source: https://agentv.dev, the pages on tool trajectory evaluators; @agentv/core 2.7.0 and 4.42.4.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, NamedTuple

from ...model import (
    AgentTrace,
    GenericPart,
    JsonObject,
    LlmCall,
    Message,
    MessagePart,
    TextPart,
    ToolCall,
    ToolCallPart,
)
from ...text.json_kind import json_kind
from ..field_values import count_at, object_at, time_at
from ..spelling import amount, entries, record
from ..tool_calls import tool_calls

__all__ = ["LATER_MESSAGES", "MESSAGES", "read_figures", "read_messages", "read_run"]

MESSAGES: Final = "output_messages"
LATER_MESSAGES: Final = "output"
_STARTS: Final = ("timestamp", "start_time")
_END: Final = "end_time"
_TOKENS: Final = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cached_input_tokens": "cached",
    "reasoning_tokens": "reasoning",
}


class _Turn(NamedTuple):
    """A message, its calls, and the model call that wrote it, as far as something is recorded of that."""

    message: Message
    calls: tuple[ToolCall, ...]
    llm_call: LlmCall | None


def read_run(run: object) -> AgentTrace:
    """Return the run in a provider's JSON; what is left out there is not recorded. Raises ValueError."""
    item = record(run, "the run")
    key = LATER_MESSAGES if item.get(MESSAGES) is None else MESSAGES
    if item.get(key) is None:
        raise ValueError("the run has no output_messages; without them its tool calls are unknown")
    return read_messages(item[key], key).model_copy(update=read_figures(item))


def read_messages(messages: object, place: str) -> AgentTrace:
    """Return the run in a list of messages. Its tokens are the sums of those that its messages record."""
    turns = [_read_turn(entry, f"{place}[{at}]", at) for at, entry in enumerate(entries(messages, place))]
    answers = [turn.message.text for turn in turns if turn.message.role == "assistant" and turn.message.text]
    llm_calls = tuple(turn.llm_call for turn in turns if turn.llm_call is not None)
    return AgentTrace(
        messages=tuple(turn.message for turn in turns),
        tool_calls=tuple(call for turn in turns for call in turn.calls),
        llm_calls=llm_calls,
        final_response=answers[-1] if answers else None,
        **{name: _sum([getattr(call, name) for call in llm_calls]) for name in list(_TOKENS)[:3]},
    )


def read_figures(item: JsonObject) -> JsonObject:
    """Return the duration, cost, tokens and times of the whole run that are recorded."""
    tokens = object_at(item, "token_usage") or {}
    figures: JsonObject = {
        "duration_ms": amount(item, "duration_ms"),
        "cost_usd": amount(item, "cost_usd"),
        "started_at": time_at(item, "start_time"),
        "ended_at": time_at(item, "end_time"),
        **{name: count_at(tokens, key, "token_usage") for name, key in list(_TOKENS.items())[:3]},
    }
    return {name: value for name, value in figures.items() if value is not None}


def _read_turn(value: object, place: str, position: int) -> _Turn:
    item = record(value, place)
    role = item.get("role")
    if not isinstance(role, str):
        raise ValueError(  # noqa: TRY004 - it is the file that is wrong
            f"{place}.role is {json_kind(role)}; write assistant, user, system or tool"
        )
    recorded = item.get("tool_calls")
    read_calls = () if recorded is None else tool_calls(recorded, place=f"{place}.tool_calls")
    calls = tuple(_with_times(call, f"{place}.tool_calls[{at}]") for at, call in enumerate(read_calls))
    call_parts = [
        ToolCallPart(id=call.id, name=call.name, arguments=call.args_text if call.args is None else call.args)
        for call in calls
    ]
    name, llm_call = item.get("name"), _read_llm_call(item, place, position) if role == "assistant" else None
    message = Message(
        role=role,
        name=None if name is None else str(name),
        parts=(*_read_content(item.get("content")), *call_parts),
        span_id=None if llm_call is None else llm_call.span_id,
        time=time_at(item, "start_time", place),
    )
    return _Turn(message, calls, llm_call)


def _read_llm_call(item: JsonObject, place: str, position: int) -> LlmCall | None:
    """Return the model call that wrote the message at this position; None if nothing is recorded of it."""
    tokens = object_at(item, "token_usage", place) or {}
    figures: dict[str, Any] = {
        "duration_ms": amount(item, "duration_ms", place),
        **{name: count_at(tokens, key, f"{place}.token_usage") for name, key in _TOKENS.items()},
    }
    if all(value is None for value in figures.values()):
        return None
    return LlmCall(span_id=f"message-{position}", started_at=time_at(item, "start_time", place), **figures)


def _with_times(call: ToolCall, place: str) -> ToolCall:
    """Return the call with its start, and with its duration if only its end is recorded."""
    started_at = next((_read_time(call.metadata[key], place) for key in _STARTS if call.metadata.get(key)), None)
    metadata = {key: value for key, value in call.metadata.items() if key not in _STARTS}
    duration_ms = call.duration_ms
    if duration_ms is None and started_at is not None and metadata.get(_END):
        span_ms = (_read_time(metadata.pop(_END), place) - started_at).total_seconds() * 1000
        duration_ms = span_ms if span_ms >= 0 else None
    changes: JsonObject = {"started_at": started_at, "duration_ms": duration_ms, "source": "message"}
    if metadata.get("status") == "unknown":
        del metadata["status"]
        changes["status"] = None
    return call.model_copy(update={**changes, "metadata": metadata})


def _read_time(value: Any, place: str) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place}: its timestamp is not a date and time in ISO 8601") from error


def _read_content(content: Any) -> list[MessagePart]:
    if content is None:
        return []
    return [_read_part(item) for item in (content if isinstance(content, list) else [content])]


def _read_part(item: Any) -> MessagePart:
    if isinstance(item, str):
        return TextPart(content=item)
    if not isinstance(item, dict):
        return GenericPart(kind="value", content={"value": item})
    text = item.get("text", item.get("value"))
    if item.get("type") == "text" and isinstance(text, str):
        return TextPart(content=text)
    return GenericPart(kind=str(item.get("type", "object")), content=item)


def _sum(values: list[int | None]) -> int | None:
    recorded = [value for value in values if value is not None]
    return sum(recorded) if recorded else None
