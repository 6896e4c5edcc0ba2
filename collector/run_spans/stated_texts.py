"""Completes the messages of a run by what only its fields say: its input, its response, its reasoning, its calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracegrade.evaluators.model import (
    AgentTrace,
    Message,
    ReasoningPart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)

__all__ = ["complete_input", "complete_output", "text_message"]


def text_message(role: str, text: str) -> Message:
    """Return a message of this text; one without parts if it is empty, as in a response that is recorded as empty."""
    return Message(role=role, parts=(TextPart(content=text),) if text else ())


def complete_input(run: AgentTrace, messages: Sequence[Message]) -> list[Message]:
    """Return the messages before those of the run, with its input unless the user says something in them."""
    if run.input is None or any(message.role == "user" and message.text for message in messages):
        return list(messages)
    first = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    return [*messages[:first], text_message("user", run.input), *messages[first:]]


def complete_output(
    run: AgentTrace,
    messages: Sequence[Message],
    *,
    requests: Iterable[ToolCall] = (),
    answers: Sequence[ToolCallResponsePart] = (),
) -> list[Message]:
    """Return the messages of the run with these requests and answers, and its response unless they end with it.

    A run without messages has its reasoning before the response.
    """
    output = list(messages)
    if calls := tuple(map(_request, requests)):
        output.append(Message(role="assistant", parts=calls))
    if answers:
        output.append(Message(role="tool", parts=tuple(answers)))
    reasoning = () if run.messages else tuple(ReasoningPart(content=step) for step in run.reasoning_steps if step)
    if run.final_response is None or (not reasoning and _ends_with(output, run.final_response)):
        return output
    answer = text_message("assistant", run.final_response)
    return [*output, Message(role="assistant", parts=(*reasoning, *answer.parts))]


def _request(call: ToolCall) -> ToolCallPart:
    return ToolCallPart(id=call.id, name=call.name, arguments=call.args_text if call.args is None else call.args)


def _ends_with(messages: Sequence[Message], response: str) -> bool:
    """Return whether the model says the response last, and requests nothing beside it."""
    last = messages[-1] if messages else None
    return last is not None and last.role == "assistant" and not last.tool_calls and (last.text or "") == response
