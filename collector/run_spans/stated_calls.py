"""Compares the tool calls of a run with those that its messages state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from tracegrade.evaluators.model import AgentTrace, Message, ToolCall, ToolCallPart, ToolCallResponsePart

from ..spans.envelopes import mcp_error

__all__ = ["find_unsaid_answers", "has_all", "says_all"]

P = TypeVar("P", ToolCallPart, ToolCallResponsePart)


def has_all(messages: Iterable[Message], calls: Iterable[ToolCall]) -> bool:
    """Return whether the model requests all of these calls in these messages."""
    requested = Counter((part.id, part.name) for message in messages for part in message.tool_calls)
    return Counter((call.id, call.name) for call in calls) <= requested


def says_all(run: AgentTrace, outputs: Sequence[Message], executed: Collection[int]) -> bool:
    """Return whether the messages say all that is known of the executed calls, which are given by their positions.

    The model has to request each of them in `outputs` under an id of its own, and no message may answer another call.
    """
    if any(call.child_agent_trace_id is not None or call.is_foreign for call in run.tool_calls):
        return False
    requests, answers = _collect(outputs, ToolCallPart), _collect(run.messages, ToolCallResponsePart)
    repeated = Counter(part.id for message in run.messages for part in message.tool_calls)
    return all(
        repeated[call.id] == 1 and _is_said(call, requests.get(call.id, ()), answers.get(call.id, ()))
        if position in executed
        else call.id not in answers
        for position, call in enumerate(run.tool_calls)
    )


def find_unsaid_answers(run: AgentTrace, calls: Iterable[ToolCall]) -> list[ToolCallResponsePart]:
    """Return the answers to calls that have a result, although no message returns it to the model."""
    answers = _collect(run.messages, ToolCallResponsePart)
    return [
        ToolCallResponsePart(id=call.id, name=call.name, response=call.result, is_error=call.error is not None)
        for call in calls
        if call.result is not None and all(answer.response != call.result for answer in answers.get(call.id, ()))
    ]


def _is_said(call: ToolCall, requests: Sequence[ToolCallPart], answers: Sequence[ToolCallResponsePart]) -> bool:
    if call.id is None or len(requests) != 1 or len(answers) != 1:
        return False
    (request,), (answer,) = requests, answers
    args = request.arguments
    return call == ToolCall(
        id=request.id,
        name=request.name,
        args=args if isinstance(args, dict) else None,
        args_text=args if isinstance(args, str) else None,
        result=answer.response,
        error=(mcp_error(answer.response) or answer.response or "error") if answer.is_error else None,
        status="error" if answer.is_error else "ok",
        source=call.source,
    )


def _collect(messages: Iterable[Message], kind: type[P]) -> Mapping[str | None, Sequence[P]]:
    """Return the parts of one kind by the id of their call."""
    parts: dict[str | None, list[P]] = {}
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, kind):
            parts.setdefault(part.id, []).append(part)
    return parts
