"""Work that stands beside the span of the agent that did it, brought below it."""

from __future__ import annotations

from collections.abc import Mapping

from ..span import Span
from .runs import Read
from .tree import Tree

__all__ = ["adopt"]


def adopt(tree: Tree, read: Mapping[str, Read]) -> None:
    """Gives an agent without spans of its own those beside it that only give structure.

    Some instrumentations, such as OpenLLMetry's for LangGraph, close an agent's span over a sibling in which the work
    is done. A sibling is adopted when it lies wholly within the agent's time; of two such agents by the shorter one.
    """
    childless = [one.span for one in read.values() if one.step.kind == "agent" and one.span.parent_span_id]
    if not childless:
        return
    below = tree.below()
    parents: dict[str, Span] = {}
    for agent in sorted(childless, key=lambda span: span.start_ns - span.end_ns):
        if agent.span_id in below:
            continue
        for sibling in below.get(agent.parent_span_id or "", ()):
            if sibling.span_id not in read and agent.start_ns <= sibling.start_ns and sibling.end_ns <= agent.end_ns:
                parents[sibling.span_id] = agent
    tree.adopt(parents)
