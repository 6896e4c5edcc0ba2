"""What of a run an evaluator is given: all of it, or what the agent did itself where that alone counts."""

from __future__ import annotations

from typing import Any, Final

from .conversation import ConversationTrajectory
from .model import AgentTrace
from .registry import Configured

__all__ = ["given", "positions"]

_OF_ONE_AGENT: Final = frozenset(
    {
        "tool_definitions",
        "reference.expected_tool_calls",
        "reference.expected_trajectory",
        "reference.minimums",
        "reference.tools",
    }
)


def given(evaluator: Configured, target: object) -> Any:
    """What of `target` the evaluator is given: of a conversation its turns, in a tuple, which may be given as well; and
    of a run, also as a turn, what it did itself where that alone counts."""
    if isinstance(target, ConversationTrajectory):
        return given(evaluator, target.turns)
    if isinstance(target, tuple):
        return tuple(given(evaluator, turn) for turn in target)
    if not isinstance(target, AgentTrace):
        return target
    calls = target.tool_calls
    own = tuple(calls[position] for position in positions(evaluator, target))
    return target if len(own) == len(calls) else target.model_copy(update={"tool_calls": own})


def positions(evaluator: Configured, target: object) -> list[int]:
    """Where in the run the calls stand that the evaluator judges."""
    calls = target.tool_calls if isinstance(target, AgentTrace) else ()
    own = [position for position, call in enumerate(calls) if call.child_agent_trace_id is None]
    if evaluator.include_sub_agents is None:
        is_whole = not own or not _is_of_one_agent(evaluator)
    else:
        is_whole = evaluator.include_sub_agents
    return list(range(len(calls))) if is_whole else own


def _is_of_one_agent(evaluator: Configured) -> bool:
    """Whether it judges each call by itself, or compares them with what was expected of the agent or offered to it:
    there the calls of others stand in the way, as long as the run made any itself."""
    return evaluator.scope == "tool_call" or not _OF_ONE_AGENT.isdisjoint(evaluator.reads)
