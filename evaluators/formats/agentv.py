"""AgentV's files: the run that a provider returns, and an evaluator with its expected tool calls.

A run is `output_messages[].tool_calls[]`, each `{tool, input, output, id, timestamp, duration_ms}`; later releases
write `output` and `start_time`. Errors name the place: `output_messages[2].tool_calls[0] has no name; ...`.
Source: https://agentv.dev, the pages on tool trajectory evaluators.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, get_args

import orjson

from ..model import (
    AgentTrace,
    GenericPart,
    JsonObject,
    Message,
    MessagePart,
    ReasoningPart,
    Reference,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from ..text.json_kind import json_kind
from .agentv_modes import ArgsMatch, ArgsMatchMode, Mode
from .spelling import amount, entries, record
from .tool_calls import expected_calls, tool_calls

__all__ = ["read_evaluator", "read_run", "write_run"]

_STARTS: Final = ("timestamp", "start_time")
_TYPES: Final = {"tool_trajectory": "v2", "tool-trajectory": "v4"}
_BESIDE: Final = frozenset({"name", "description", "weight", "required", "min_score", "negate"})
_ASKED: Final = ("type", "mode", "minimums", "expected", "args_match")


def read_run(run: object) -> AgentTrace:
    """Return the run in a provider's JSON; what is left out there is not recorded. Raises ValueError."""
    item = record(run, "the run")
    key = "output" if item.get("output_messages") is None else "output_messages"
    if item.get(key) is None:
        raise ValueError("the run has no output_messages; without them its tool calls are unknown")
    messages_with_calls = [_message(entry, f"{key}[{at}]") for at, entry in enumerate(entries(item[key], key))]
    messages = tuple(message for message, _ in messages_with_calls)
    answers = [message.text for message in messages if message.role == "assistant" and message.text]
    return AgentTrace(
        messages=messages,
        tool_calls=tuple(call for _, calls in messages_with_calls for call in calls),
        final_response=answers[-1] if answers else None,
        duration_ms=amount(item, "duration_ms"),
        cost_usd=amount(item, "cost_usd"),
    )


def write_run(trace: AgentTrace) -> JsonObject:
    """Return the run in AgentV's format; `read_run` reads the same messages and calls from it.

    Calls that no message requests are in an additional message at the end.
    """
    waiting = list(trace.tool_calls)
    messages = [_write_message(message, waiting) for message in trace.messages]
    if waiting:
        messages.append({"role": "assistant", "tool_calls": [_write_call(call) for call in waiting]})
    if not trace.messages and trace.final_response is not None:
        messages.append({"role": "assistant", "content": trace.final_response})
    return _without_none({"output_messages": messages, "duration_ms": trace.duration_ms, "cost_usd": trace.cost_usd})


def read_evaluator(block: object) -> tuple[JsonObject, Reference]:
    """Return the options of `agentv:tool_trajectory` and the reference from an evaluator's block of YAML.

    The spelling `tool-trajectory` exists only in v4 and selects its era. Raises ValueError, also where AgentV only
    warns and ignores the evaluator or one of its limits.
    """
    item = record(block, "the evaluator")
    if unknown := [key for key in item if key not in _ASKED and key not in _BESIDE]:
        raise ValueError(f"the evaluator has an unknown key {unknown[0]!r}; it takes {', '.join(_ASKED)}")
    if item.get("negate"):
        raise ValueError("negate: a score cannot be inverted here; remove it")
    options: JsonObject = {
        "era": _TYPES[_word(item, "type", tuple(_TYPES))],
        "mode": _word(item, "mode", get_args(Mode)),
    }
    if item.get("args_match") is not None:
        options["args_match"] = _args_match(item["args_match"], "args_match")
    needed = "minimums" if options["mode"] == "any_order" else "expected"
    if item.get(needed) is None:
        raise ValueError(f"the evaluator has no {needed}; mode {options['mode']} requires {needed}")
    return options, _reference(item)


def _reference(item: JsonObject) -> Reference:
    expected, minimums = item.get("expected"), item.get("minimums")
    return Reference(
        expected_tool_calls=None if expected is None else expected_calls(expected, place="expected"),
        minimums=None if minimums is None else _minimums(minimums),
        source="agentv",
    )


def _minimums(value: object) -> dict[str, float]:
    minimums = record(value, "minimums")
    for tool, count in minimums.items():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or not 0 <= count < math.inf:
            raise ValueError(f"minimums.{tool} is not a count; write 0, 1, 2 and so on")
    return minimums


def _args_match(value: object, place: str) -> ArgsMatch:
    if value in get_args(ArgsMatchMode):
        return value  # type: ignore[return-value]  # it is one of the literals
    if isinstance(value, (list, tuple)) and all(isinstance(path, str) and path for path in value):
        return tuple(value)
    raise ValueError(f"{place}: write {', '.join(get_args(ArgsMatchMode))}, or a list of dotted paths")


def _word(item: JsonObject, key: str, known: Sequence[str]) -> str:
    word = item.get(key)
    if isinstance(word, str) and word in known:
        return word
    raise ValueError(f"{key}: {word!r} is not one of {', '.join(known)}")


def _message(value: object, place: str) -> tuple[Message, tuple[ToolCall, ...]]:
    item = record(value, place)
    role = item.get("role")
    if not isinstance(role, str):
        raise ValueError(  # noqa: TRY004 - it is the file that is wrong
            f"{place}.role is {json_kind(role)}; write assistant, user, system or tool"
        )
    recorded = item.get("tool_calls")
    read_calls = () if recorded is None else tool_calls(recorded, place=f"{place}.tool_calls")
    calls = tuple(_with_start(call, f"{place}.tool_calls[{at}]") for at, call in enumerate(read_calls))
    call_parts = [
        ToolCallPart(id=call.id, name=call.name, arguments=call.args_text if call.args is None else call.args)
        for call in calls
    ]
    name = item.get("name")
    parts = (*_content(item.get("content")), *call_parts)
    return Message(role=role, name=None if name is None else str(name), parts=parts), calls


def _with_start(call: ToolCall, place: str) -> ToolCall:
    started = next((call.metadata[key] for key in _STARTS if call.metadata.get(key) is not None), None)
    try:
        started_at = None if started is None else datetime.fromisoformat(started)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place}: its timestamp is not a date and time in ISO 8601") from error
    metadata = {key: value for key, value in call.metadata.items() if key not in _STARTS}
    return call.model_copy(update={"started_at": started_at, "source": "message", "metadata": metadata})


def _content(content: Any) -> list[MessagePart]:
    if content is None:
        return []
    return [_content_part(item) for item in (content if isinstance(content, list) else [content])]


def _content_part(item: Any) -> MessagePart:
    if isinstance(item, str):
        return TextPart(content=item)
    if not isinstance(item, dict):
        return GenericPart(kind="value", content={"value": item})
    if item.get("type") == "text" and isinstance(item.get("text"), str):
        return TextPart(content=item["text"])
    return GenericPart(kind=str(item.get("type", "object")), content=item)


def _write_message(message: Message, waiting: list[ToolCall]) -> JsonObject:
    calls = [_write_call(_take_call(part, waiting)) for part in message.tool_calls]
    content = [_write_part(part) for part in message.parts if not isinstance(part, ToolCallPart)]
    is_text = len(content) == 1 and isinstance(content[0], str)
    written = (content[0] if is_text else content) if content else None
    return _without_none({"role": message.role, "name": message.name, "content": written, "tool_calls": calls or None})


def _take_call(part: ToolCallPart, waiting: list[ToolCall]) -> ToolCall:
    """Remove and return the call that a message requests, by its id or else the first of its name.

    If no such call was made, return the requested call without a result.
    """
    by_id = (at for at, call in enumerate(waiting) if part.id is not None and call.id == part.id)
    by_name = (at for at, call in enumerate(waiting) if call.name == part.name)
    at = next(by_id, next(by_name, None))
    if at is not None:
        return waiting.pop(at)
    is_object = isinstance(part.arguments, dict)
    return ToolCall(
        name=part.name,
        id=part.id,
        args=part.arguments if is_object else None,
        args_text=None if is_object else part.arguments,
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
