"""Spans that stand beside the one they belong to, brought below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..span import Span
from .run import Read, contains, plain
from .tree import Tree

__all__ = ["adopt"]


def adopt(tree: Tree, read: Mapping[str, Read]) -> None:
    """Brings work below its agent, and agents below the tool call that called them."""
    agents = [one for one in read.values() if one.step.kind == "agent"]
    tree.adopt({**_work(tree, read, agents), **(_called(tree, read, agents) if len(agents) > 1 else {})})


def _called(tree: Tree, read: Mapping[str, Read], agents: Sequence[Read]) -> dict[str, Span]:
    """An agent that worked wholly within the time of a tool call of its name, which is no part of its own.

    OpenLLMetry hangs an agent of OpenAI's Agents that was called as a tool beside its caller.
    """
    tools: dict[str, list[Span]] = {}
    for one in read.values():
        if one.step.kind == "tool" and one.step.tool_name:
            tools.setdefault(plain(one.step.tool_name), []).append(one.span)
    found: dict[str, Span] = {}
    for one in agents if tools else ():
        if one.step.agent_name:
            around = (tool for tool in tools.get(plain(one.step.agent_name), ()) if contains(tool, one.span))
            caller = next(around, None)
            if caller is not None and all(above is not caller for above in tree.ancestors(one.span)):
                found[one.span.span_id] = caller
    return found


def _work(tree: Tree, read: Mapping[str, Read], agents: Sequence[Read]) -> dict[str, Span]:
    """For spans that only give structure the agent without spans of its own that they stand beside.

    Some instrumentations, such as OpenLLMetry's for LangGraph, close an agent's span over a sibling in which the work
    is done. A sibling is adopted when it lies wholly within the agent's time; of two such agents by the shorter one.
    """
    childless = [one.span for one in agents if one.span.parent_span_id]
    if not childless:
        return {}
    below = tree.below()
    parents: dict[str, Span] = {}
    for agent in sorted(childless, key=lambda span: span.start_ns - span.end_ns):
        if agent.span_id in below:
            continue
        for sibling in below.get(agent.parent_span_id or "", ()):
            if sibling.span_id not in read and agent.start_ns <= sibling.start_ns and sibling.end_ns <= agent.end_ns:
                parents[sibling.span_id] = agent
    return parents
