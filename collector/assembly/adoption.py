"""Spans that stand beside the one they belong to, brought below it; those that stand below another run, set free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..span import Span
from ..step import Step
from .message import last_from_user
from .run import CALLERS, Read, contains, plain
from .tree import Tree

__all__ = ["adopt"]


def adopt(tree: Tree, read: Mapping[str, Read]) -> None:
    """Brings work below its agent, agents below the tool call that called them, and later turns out of earlier ones."""
    agents = [one for one in read.values() if one.step.kind == "agent"]
    if len(agents) > 1:
        tree.release(_later_turns(tree, read, agents))
    tree.adopt({**_work(tree, read, agents), **(_called(tree, read, agents) if len(agents) > 1 else {})})


def _later_turns(tree: Tree, read: Mapping[str, Read], agents: Sequence[Read]) -> list[str]:
    """The agent spans that began when the agent they stand below had ended and done work of its own.

    OpenLLMetry's LangChain instrumentation (0.49) leaves the span of a node in the context of `ainvoke`, so that the
    next turn hangs below it. An agent in another service may only seem late: its clock is another one. A span with
    neither name nor question goes on with the same turn, as in LiveKit after a tool call.
    """
    callers = tree.nearest({span_id for span_id, one in read.items() if one.step.kind in CALLERS})
    late: dict[str, Span] = {}
    for one in agents:
        caller, span = callers[one.span.span_id], one.span
        if caller is None or read[caller.span_id].step.kind != "agent" or span.parent_is_remote:
            continue
        is_late = 0 < caller.end_ns <= span.start_ns and caller.service_name == span.service_name
        if is_late and (one.step.agent_name is not None or _has_question(one.step)):
            late[span.span_id] = caller
    if not late:
        return []
    busy = {
        caller.span_id
        for span_id, one in read.items()
        if one.step.kind in {"model", "tool"}
        and (caller := callers[span_id]) is not None
        and one.span.start_ns < caller.end_ns
    }
    return [span_id for span_id, caller in late.items() if caller.span_id in busy]


def _has_question(step: Step) -> bool:
    return step.input_text is not None or last_from_user(step.input or ()) >= 0


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
