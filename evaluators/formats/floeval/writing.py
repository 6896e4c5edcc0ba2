"""Writes samples of Floeval's agent datasets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ...model import AgentTrace, ExpectedCall, JsonObject, Message, ToolCallPart, ToolCallResponsePart
from ..imported import Imported
from ..trajectory import messages_of_run

__all__ = ["write_sample"]

_ROLES: Final = {"user": "human", "assistant": "ai"}


def write_sample(entry: Imported) -> JsonObject:
    """Return the sample of a run, or the partial one of an item.

    Floeval has no system messages: their text becomes `system_instructions` in the metadata of the trace. Expected
    calls with any arguments are written without `args`.
    """
    run, expectation = entry.run, entry.expectation
    request = entry.input if entry.input is not None or run is None else run.input
    calls = None if expectation is None else expectation.expected_tool_calls
    outcome = None if expectation is None else expectation.expected_response
    fields = {
        "user_input": request,
        "reference_outcome": outcome,
        "reference_tool_calls": None if calls is None else [_write_expected(call) for call in calls],
        "trace": None if run is None else _write_run(run),
        "metadata": entry.metadata or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _write_expected(call: ExpectedCall) -> JsonObject:
    return {"name": call.name} if call.args is None else {"name": call.name, "args": call.args}


def _write_run(run: AgentTrace) -> JsonObject:
    messages = messages_of_run(run)
    instructions = [message.text for message in messages if message.role == "system" and message.text]
    fields: dict[str, Any] = {
        "messages": list(_write_messages(messages)),
        "final_response": run.final_response,
        "agent_name": run.agent_name,
        "start_time": None if run.started_at is None else run.started_at.timestamp(),
        "end_time": None if run.ended_at is None else run.ended_at.timestamp(),
        "prompt_tokens": run.input_tokens,
        "completion_tokens": run.output_tokens,
        "error_info": run.error,
        "metadata": {"system_instructions": "\n".join(instructions)} if instructions else None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _write_messages(messages: Sequence[Message]) -> Iterator[JsonObject]:
    names: dict[str, str] = {}
    for message in messages:
        names |= {call.id: call.name for call in message.tool_calls if call.id is not None}
        results = [part for part in message.parts if isinstance(part, ToolCallResponsePart)]
        yield from (_write_result(result, names) for result in results)
        if message.role in _ROLES and (not results or message.text or message.tool_calls):
            yield _write_message(message)


def _write_message(message: Message) -> JsonObject:
    written: JsonObject = {"role": _ROLES[message.role], "content": message.text or ""}
    if message.tool_calls:
        written["tool_calls"] = [_write_call(call) for call in message.tool_calls]
    return written


def _write_call(call: ToolCallPart) -> JsonObject:
    """Return a call; arguments that are not an object are under `arguments`, as text."""
    text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
    given = (
        {}
        if call.arguments is None
        else {"args": call.arguments if isinstance(call.arguments, dict) else {"arguments": text}}
    )
    return {"name": call.name, **given, **({} if call.id is None else {"id": call.id})}


def _write_result(result: ToolCallResponsePart, names: dict[str, str]) -> JsonObject:
    name = result.name or names.get(result.id or "", "")
    written: JsonObject = {"role": "tool", "tool_name": name, "content": result.response or ""}
    return written if result.id is None else {**written, "tool_call_id": result.id}
