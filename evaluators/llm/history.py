"""What an agent knew from before: the history in its messages, and the turns of a conversation before its own."""

from __future__ import annotations

from itertools import takewhile

from ..model import AgentTrace, Message, TextPart, ToolCallResponsePart
from .evidence_parts import REQUESTING, Entry, spoken

__all__ = ["earlier_messages", "left_behind"]


def earlier_messages(trace: AgentTrace) -> list[Entry]:
    """Return what assistants said and tools gave before the last request, as the messages tell it. Empty without a
    history.

    It ends before the first call of the run itself. What was thought or called grounds nothing: it is left out.
    """
    own = {(call.id, call.name) for call in trace.tool_calls if call.id is not None}
    last = max((at for at, message in enumerate(trace.messages) if _is_request(message)), default=0)
    history = [*takewhile(lambda message: own.isdisjoint(_call_keys(message)), trace.messages[:last])]
    return [entry for entry in spoken(history, _learned) if entry.fields["parts"]]


def _is_request(message: Message) -> bool:
    """Return whether a user speaks: some frameworks give the results of tools in a message of the user."""
    is_result = any(isinstance(part, ToolCallResponsePart) for part in message.parts)
    return message.role == "user" and not is_result and message.text is not None


def _call_keys(message: Message) -> set[tuple[str | None, str]]:
    return {(call.id, call.name) for call in message.tool_calls}


def _learned(message: Message) -> Message:
    """Return the results of tools in a message, and its texts where they are no request."""
    kinds = (ToolCallResponsePart,) if message.role in REQUESTING else (ToolCallResponsePart, TextPart)
    return message.model_copy(update={"parts": tuple(part for part in message.parts if isinstance(part, kinds))})


def left_behind(turn: int, trace: AgentTrace) -> list[Entry]:
    """Return what later turns of a conversation know from this one: the request, the results of its tools, and its
    answer."""
    return [
        *([Entry({"turn": turn, "input": trace.input})] if trace.input else ()),
        *(
            Entry({"turn": turn, "result_of": call.name, "result": call.result})
            for call in trace.tool_calls
            if call.result is not None
        ),
        *([Entry({"turn": turn, "answer": trace.final_response})] if trace.final_response else ()),
    ]
