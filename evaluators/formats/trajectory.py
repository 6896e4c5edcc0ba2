"""Makes a run of the messages between an agent and its model, and messages of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..model import (
    AgentTrace,
    Message,
    MessagePart,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
)
from .openai import calls_in

__all__ = ["find_input", "messages_of_run", "run_of_messages"]


def run_of_messages(messages: Sequence[Message], **fields: Any) -> AgentTrace:
    """Return the run in the messages of a whole trajectory, with further `fields`."""
    read = {
        "input": find_input(messages),
        "messages": tuple(messages),
        "tool_calls": calls_in(messages),
        "final_response": _find_final_response(messages),
    }
    return AgentTrace(**{**read, **fields})


def find_input(messages: Sequence[Message]) -> str | None:
    """Return the last text of the user before the agent's first message."""
    texts: list[str] = []
    for message in messages:
        if message.role == "assistant":
            break
        if message.role == "user" and message.text is not None:
            texts.append(message.text)
    return texts[-1] if texts else None


def _find_final_response(messages: Sequence[Message]) -> str | None:
    """Return the text of the last message if it is the agent's and requests no tool; "" if it has no text."""
    if not messages or messages[-1].role != "assistant" or messages[-1].tool_calls:
        return None
    return messages[-1].text or ""


def messages_of_run(run: AgentTrace) -> tuple[Message, ...]:
    """Return the messages of a run; if they are not recorded, those that its input, calls and response imply."""
    return run.messages or tuple(_imply_messages(run))


def _imply_messages(run: AgentTrace) -> Iterator[Message]:
    if run.input is not None:
        yield _say("user", TextPart(content=run.input))
    for number, call in enumerate(run.trajectory):
        call_id = call.id or f"call_{number}"
        arguments = call.args if call.args is not None else call.args_text
        yield _say("assistant", ToolCallPart(id=call_id, name=call.name, arguments=arguments))
        if (result := _result_of(call)) is not None:
            is_error = call.status == "error"
            yield _say("tool", ToolCallResponsePart(id=call_id, name=call.name, response=result, is_error=is_error))
    if run.final_response is not None:
        yield _say("assistant", TextPart(content=run.final_response))


def _result_of(call: ToolCall) -> str | None:
    return call.result if call.result is not None else call.error


def _say(role: str, part: MessagePart) -> Message:
    return Message(role=role, parts=(part,))
