"""Spans that stand beside the one they belong to, brought below it; those that stand below another run, set free."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain

from ..spans.span import Span
from ..spans.step import Step
from .conversation import last_text
from .message import last_from_user
from .run import CALLERS, Read, contains, plain
from .tree import Tree

__all__ = ["adopt"]


def adopt(tree: Tree, read: Mapping[str, Read]) -> None:
    """Brings work and questions below their agent, agents below the tool call that called them, and later turns out of
    earlier ones."""
    agents = [one for one in read.values() if one.step.kind == "agent"]
    if len(agents) > 1:
        tree.release(_later_turns(tree, read, agents))
    called = _called(tree, read, agents) if len(agents) > 1 else {}
    tree.adopt({**_work(tree, read, agents), **_asked(read, agents), **called})


def _asked(read: Mapping[str, Read], agents: Sequence[Read]) -> dict[str, Span]:
    """For what was said in a conversation the first agent that began to work in it afterwards."""
    messages = [one for one in read.values() if one.step.kind == "message"]
    if not messages:
        return {}
    by_session: dict[str | None, list[Span]] = {}
    for agent in sorted(agents, key=lambda agent: (agent.span.start_ns, agent.span.span_id)):
        by_session.setdefault(agent.step.session_id, []).append(agent.span)
    found: dict[str, Span] = {}
    for one in messages:
        spans = by_session.get(one.step.session_id, []) if one.step.session_id is not None else []
        at = bisect_left(spans, one.span.end_ns, key=lambda span: span.start_ns)
        if at < len(spans):
            found[one.span.span_id] = spans[at]
    return found


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
    """An agent that worked wholly within the time of the tool call that called it, which is no part of its own.

    OpenLLMetry hangs an agent of OpenAI's Agents that was called as a tool beside its caller. The tool has the agent's
    name, or one that has this as a part (`ask_hotel_agent`), or it was given what the agent was asked.
    """
    tools = {span_id: one for span_id, one in read.items() if one.step.kind == "tool" and one.step.tool_name}
    within = tree.nearest(tools) if tools else {}
    inputs = _first_inputs(tree, read, agents) if tools else {}
    found: dict[str, Span] = {}
    for agent in agents if tools else ():
        if within[agent.span.span_id] is None:
            around = [tool for tool in tools.values() if contains(tool.span, agent.span)]
            caller = _caller(agent, inputs.get(agent.span.span_id), around)
            if caller is not None:
                found[agent.span.span_id] = caller.span
    return found


def _first_inputs(tree: Tree, read: Mapping[str, Read], agents: Sequence[Read]) -> dict[str, str]:
    """What each agent was asked, by the id of its span: what its first model call was."""
    above = tree.nearest({agent.span.span_id for agent in agents})
    asked: dict[str, str] = {}
    for one in read.values():
        agent = above[one.span.span_id] if one.step.kind == "model" else None
        if agent is not None and (text := last_text(one.step.input or (), "user")):
            asked.setdefault(agent.span_id, text)
    return asked


def _caller(agent: Read, asked: str | None, tools: Sequence[Read]) -> Read | None:
    """Which of the tool calls around an agent's time called it; by the surest sign that any has."""
    name = plain(agent.step.agent_name or "")
    names = [(plain(tool.step.tool_name or ""), tool) for tool in tools]
    same = (tool for called, tool in names if name and called == name)
    part = (tool for called, tool in names if name and f"_{name}_" in f"_{called}_")
    given = (tool for tool in tools if asked is not None and isinstance(tool.step.args, dict))
    told = (tool for tool in given if asked in tool.step.args.values())
    return next(chain(same, part, told), None)


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
