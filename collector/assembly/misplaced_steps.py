"""Model calls and tools that stand below another agent than the one that they worked for.

GitHub Copilot leaves later model calls of a sub-agent below the main agent; in AG2 the agent that executes a tool is
not the one whose model asked for it. The ids of tool calls tell to which conversation a step belongs, and so may the
ids of agent and session on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..spans.span import Span
from ..spans.step import Step
from .run import Reading, contains
from .tree import Tree

__all__ = ["find_agents_of_steps"]


def find_agents_of_steps(tree: Tree, readings: Mapping[str, Reading], agents: Sequence[Reading]) -> dict[str, Span]:
    """Return for misplaced model calls and tools the span of the agent that they worked for."""
    above = tree.nearest({agent.span.span_id for agent in agents})
    steps = [reading for reading in readings.values() if reading.step.kind in {"model", "tool"}]
    askers = _find_askers(steps, above)
    by_id = {agent.span.span_id: agent for agent in agents}
    parents: dict[str, Span] = {}
    for reading in steps:
        present = above[reading.span.span_id]
        if present is None:
            continue
        asker = _find_asker(reading.step, askers)
        if asker is None and reading.step.kind == "model":
            asker = _find_namesake(reading, by_id[present.span_id], agents)
        if asker is None or asker == present.span_id:
            continue
        agent = by_id[asker].span
        if _may_move(tree, reading, present, agent):
            parents[reading.span.span_id] = agent
    return parents


def _find_askers(steps: Sequence[Reading], above: Mapping[str, Span | None]) -> dict[str, str | None]:
    """Return the span of the agent whose model requested each tool call, by call id; None for ids of several agents."""
    askers: dict[str, str | None] = {}
    for reading in steps:
        agent = above[reading.span.span_id]
        if reading.step.kind != "model" or agent is None:
            continue
        for message in reading.step.output or ():
            for call in message.tool_calls:
                if call.id is not None and askers.setdefault(call.id, agent.span_id) != agent.span_id:
                    askers[call.id] = None
    return askers


def _find_asker(step: Step, askers: Mapping[str, str | None]) -> str | None:
    """Return the agent whose call a tool executed, or all calls in the request of a model."""
    if step.kind == "tool":
        return askers.get(step.call_id or "")
    found = {askers.get(call_id) for call_id in _ids_in_history(step)}
    return found.pop() if len(found) == 1 else None


def _ids_in_history(step: Step) -> Iterator[str]:
    return (call.id for message in step.input or () for call in message.tool_calls if call.id is not None)


def _find_namesake(reading: Reading, present: Reading, agents: Sequence[Reading]) -> str | None:
    """Return the only agent at the time of a model call that has its agent's id, or its session, unlike the `present`
    one."""
    for field in ("agent_id", "session_id"):
        value = getattr(reading.step, field)
        if value is None or getattr(present.step, field) in {None, value}:
            continue
        same = [
            agent.span.span_id
            for agent in agents
            if getattr(agent.step, field) == value and contains(agent.span, reading.span)
        ]
        if len(same) == 1:
            return same[0]
    return None


def _may_move(tree: Tree, reading: Reading, present: Span, agent: Span) -> bool:
    """Return whether a step below `present` may belong to `agent`: a model call only to an agent that was called by it
    and worked at that time; a tool also to an agent beside it."""
    is_called = any(outer is present for outer in tree.ancestors(agent))
    if reading.step.kind == "model" or is_called:
        return is_called and contains(agent, reading.span)
    is_caller = any(outer is agent for outer in tree.ancestors(present))
    return not is_caller and agent.service_name == reading.span.service_name
