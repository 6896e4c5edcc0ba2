"""What an agent knew from earlier: the history in its messages, and the earlier turns of a conversation."""

from __future__ import annotations

from itertools import takewhile

from ..model import AgentTrace, Message, TextPart, ToolCallResponsePart
from .evidence_parts import REQUESTING, Entry, spoken

__all__ = ["earlier_messages", "left_behind", "messages_of_turn"]


def earlier_messages(trace: AgentTrace) -> list[Entry]:
    """Return the texts of assistants and the results of tools in the messages before the last request.

    They end before the first tool call of the run itself. Reasoning and tool calls are left out: they are no source of
    facts. Empty if there is no history.
    """
    return [entry for entry in spoken(_history(trace), _learned) if entry.fields["parts"]]


def messages_of_turn(trace: AgentTrace) -> tuple[Message, ...]:
    """Return the messages from the request on, with those of users and developers directly before it."""
    begin = len(_history(trace))
    while begin and trace.messages[begin - 1].role in REQUESTING:
        begin -= 1
    return trace.messages[begin:]


def _history(trace: AgentTrace) -> list[Message]:
    """Return the messages before the last request, up to the first tool call of the run itself."""
    own = {(call.id, call.name) for call in trace.tool_calls if call.id is not None}
    last = max((at for at, message in enumerate(trace.messages) if _is_request(message)), default=0)
    return [*takewhile(lambda message: own.isdisjoint(_call_keys(message)), trace.messages[:last])]


def _is_request(message: Message) -> bool:
    """Return whether a user wrote the message: some frameworks put tool results in messages of the user."""
    is_result = any(isinstance(part, ToolCallResponsePart) for part in message.parts)
    return message.role == "user" and not is_result and message.text is not None


def _call_keys(message: Message) -> set[tuple[str | None, str]]:
    return {(call.id, call.name) for call in message.tool_calls}


def _learned(message: Message) -> Message:
    """Return the message with only its tool results and, unless it is a request, its texts."""
    kinds = (ToolCallResponsePart,) if message.role in REQUESTING else (ToolCallResponsePart, TextPart)
    return message.model_copy(update={"parts": tuple(part for part in message.parts if isinstance(part, kinds))})


def left_behind(turn: int, trace: AgentTrace) -> list[Entry]:
    """Return what later turns of a conversation know of this one: its request, tool results and answer."""
    return [
        *([Entry({"turn": turn, "input": trace.input})] if trace.input else ()),
        *(
            Entry({"turn": turn, "result_of": call.name, "result": call.result})
            for call in trace.tool_calls
            if call.result is not None
        ),
        *([Entry({"turn": turn, "answer": trace.final_response})] if trace.final_response else ()),
    ]
