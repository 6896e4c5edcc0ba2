"""Which tool calls of a run an evaluator sees: by default none that other services wrote into it, and those of
sub-agents only if it does not compare calls with what one agent was offered or expected to do."""

from __future__ import annotations

from typing import Any, Final

from ..conversation import ConversationTrajectory
from ..model import AgentTrace
from .registry import Configured

__all__ = ["positions", "visible_part"]

_OF_ONE_AGENT: Final = frozenset(
    {
        "tool_definitions",
        "reference.expected_tool_calls",
        "reference.expected_trajectory",
        "reference.minimums",
        "reference.tools",
    }
)


def visible_part(evaluator: Configured, target: object) -> Any:
    """Return the part of `target` that the evaluator sees: a run with the calls at `positions`, a conversation as a
    tuple of such runs, any other target as it is."""
    if isinstance(target, ConversationTrajectory):
        return visible_part(evaluator, target.turns)
    if isinstance(target, tuple):
        return tuple(visible_part(evaluator, turn) for turn in target)
    if not isinstance(target, AgentTrace):
        return target
    calls = target.tool_calls
    seen = tuple(calls[position] for position in positions(evaluator, target))
    return target if len(seen) == len(calls) else target.model_copy(update={"tool_calls": seen})


def positions(evaluator: Configured, target: object) -> list[int]:
    """Return the positions of the tool calls of a run that the evaluator sees; none for any other target."""
    calls = target.tool_calls if isinstance(target, AgentTrace) else ()
    made = [at for at, call in enumerate(calls) if evaluator.include_foreign_calls or not call.is_foreign]
    own = [position for position in made if calls[position].child_agent_trace_id is None]
    if evaluator.include_sub_agents is None:
        is_whole = not own or not _is_of_one_agent(evaluator)
    else:
        is_whole = evaluator.include_sub_agents
    return made if is_whole else own


def _is_of_one_agent(evaluator: Configured) -> bool:
    """Return whether it evaluates single calls, or compares calls with what the agent was offered or expected to do.

    Calls of sub-agents would distort that, as long as the agent made any itself.
    """
    return evaluator.scope == "tool_call" or not _OF_ONE_AGENT.isdisjoint(evaluator.reads)
