"""A run while its log is read, and how it is joined with the runs of its sub-agents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from ..model import AgentTrace, LlmCall, Message, MessagePart, ReasoningPart, ToolCall
from .trajectory import run_of_messages

__all__ = ["RunDraft", "join_sub_agents", "sum_known"]

_SUMMED: Final = ("input_tokens", "output_tokens", "cached_input_tokens", "cost_usd")
_TOTALLED: Final = ("input_tokens", "output_tokens", "cost_usd")


class RunDraft:
    """The messages, tool calls and model calls of a run so far."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.calls: list[ToolCall] = []
        self.llm_calls: list[LlmCall] = []
        self._positions: dict[str, int] = {}

    def add_call(self, call: ToolCall) -> bool:
        """Add a call, unless one with its id was added before; return whether it was added."""
        if call.id is not None:
            if call.id in self._positions:
                return False
            self._positions[call.id] = len(self.calls)
        self.calls.append(call)
        return True

    def find_call(self, call_id: str | None) -> ToolCall | None:
        """Return the call with this id."""
        position = None if call_id is None else self._positions.get(call_id)
        return None if position is None else self.calls[position]

    def complete_call(self, call_id: str, **changes: Any) -> None:
        """Change the call with this id, which was added before."""
        position = self._positions[call_id]
        self.calls[position] = self.calls[position].model_copy(update=changes)

    def extend_message(self, position: int, parts: Iterable[MessagePart]) -> None:
        """Add parts to the message at this position."""
        message = self.messages[position]
        self.messages[position] = message.model_copy(update={"parts": (*message.parts, *parts)})

    def finish(self, **fields: Any) -> AgentTrace:
        """Return the run, with further `fields`, which replace those that are computed here."""
        sums = {name: sum_known([getattr(call, name) for call in self.llm_calls]) for name in _SUMMED}
        parts = chain.from_iterable(message.parts for message in self.messages)
        own = {
            "tool_calls": tuple(self.calls),
            "llm_calls": tuple(self.llm_calls),
            "reasoning_steps": tuple(part.content for part in parts if isinstance(part, ReasoningPart)),
            "model": next((call.model for call in self.llm_calls if call.model), None),
            "provider_name": next((call.provider_name for call in self.llm_calls if call.provider_name), None),
            "total_tool_call_count": len(self.calls),
            **sums,
            **fields,
        }
        totals = {f"total_{name}": own[name] for name in _TOTALLED if f"total_{name}" not in own}
        return run_of_messages(self.messages, **own, **totals)


def join_sub_agents(run: AgentTrace, families: Sequence[Sequence[AgentTrace]]) -> tuple[AgentTrace, ...]:
    """Return a run with the calls and totals of its sub-agents, followed by these.

    Each family begins with a sub-agent, which is already joined with those below it, and these follow.
    """
    if not families:
        return (run,)
    heads = [family[0] for family in families]
    totals = {
        f"total_{name}": sum_known([getattr(each, f"total_{name}") for each in (run, *heads)]) for name in _TOTALLED
    }
    counts = [each.total_tool_call_count for each in (run, *heads)]
    joined = run.model_copy(
        update={
            "tool_calls": (*run.tool_calls, *chain.from_iterable(map(_mark_calls, heads))),
            "total_tool_call_count": sum_known(counts),
            **totals,
        }
    )
    below = {"parent_agent_trace_id": run.agent_trace_id, "session_id": run.session_id}
    return (
        joined,
        *(each for head, *rest in families for each in (head.model_copy(update=below), *rest)),
    )


def _mark_calls(sub_agent: AgentTrace) -> list[ToolCall]:
    """Return the calls of a sub-agent as calls of the run above it."""
    return [
        call.model_copy(
            update={
                "agent_name": call.agent_name or sub_agent.agent_name,
                "child_agent_trace_id": call.child_agent_trace_id or sub_agent.agent_trace_id,
            }
        )
        for call in sub_agent.tool_calls
    ]


def sum_known(values: Sequence[Any]) -> Any:
    """Return the sum of the values that are not None; None if all are."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
