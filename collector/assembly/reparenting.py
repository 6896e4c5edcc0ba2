"""Moves spans that stand beside their parent below it, and releases those that stand below another run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain

from ..spans.span import Span
from ..spans.step import Step
from .conversation import last_text
from .message import last_from_user
from .misplaced_steps import find_agents_of_steps
from .run import CALLERS, Reading, contains, plain_name
from .tree import Tree

__all__ = ["reparent"]


def reparent(tree: Tree, readings: Mapping[str, Reading]) -> None:
    """Move work and messages below their agent, agents below the tool call that called them, and later turns out of
    earlier ones."""
    agents = [reading for reading in readings.values() if reading.step.kind == "agent"]
    if len(agents) > 1:
        tree.release(_find_later_turns(tree, readings, agents))
    called = _find_callers(tree, readings, agents) if len(agents) > 1 else {}
    tree.adopt({**_find_agents_of_work(tree, readings, agents), **_find_agents_of_messages(readings, agents), **called})
    if len(agents) > 1:
        tree.adopt(find_agents_of_steps(tree, readings, agents))


def _find_agents_of_messages(readings: Mapping[str, Reading], agents: Sequence[Reading]) -> dict[str, Span]:
    """Return for the messages of a conversation the first agent that began to work in it afterwards."""
    messages = [message for message in readings.values() if message.step.kind == "message"]
    if not messages:
        return {}
    by_session: dict[str | None, list[Span]] = {}
    for agent in sorted(agents, key=lambda agent: (agent.span.start_ns, agent.span.span_id)):
        by_session.setdefault(agent.step.session_id, []).append(agent.span)
    parents: dict[str, Span] = {}
    for message in messages:
        spans = by_session.get(message.step.session_id, []) if message.step.session_id is not None else []
        at = bisect_left(spans, message.span.end_ns, key=lambda span: span.start_ns)
        if at < len(spans):
            parents[message.span.span_id] = spans[at]
    return parents


def _find_later_turns(tree: Tree, readings: Mapping[str, Reading], agents: Sequence[Reading]) -> list[str]:
    """Return the agent spans that began after the agent above them had ended, which had work of its own.

    OpenLLMetry's LangChain instrumentation (0.49) leaves the span of a node in the context of `ainvoke`, so that the
    next turn stands below it. An agent in another service may only seem late: its clock is another one. A span with
    neither name nor question continues the same turn, as in LiveKit after a tool call.
    """
    callers = tree.nearest({span_id for span_id, reading in readings.items() if reading.step.kind in CALLERS})
    late: dict[str, Span] = {}
    for agent in agents:
        caller, span = callers[agent.span.span_id], agent.span
        if caller is None or readings[caller.span_id].step.kind != "agent" or span.parent_is_remote:
            continue
        is_late = 0 < caller.end_ns <= span.start_ns and caller.service_name == span.service_name
        if is_late and (agent.step.agent_name is not None or _has_question(agent.step)):
            late[span.span_id] = caller
    if not late:
        return []
    busy = {
        caller.span_id
        for span_id, reading in readings.items()
        if reading.step.kind in {"model", "tool"}
        and (caller := callers[span_id]) is not None
        and reading.span.start_ns < caller.end_ns
    }
    return [span_id for span_id, caller in late.items() if caller.span_id in busy]


def _has_question(step: Step) -> bool:
    return step.input_text is not None or last_from_user(step.input or ()) >= 0


def _find_callers(tree: Tree, readings: Mapping[str, Reading], agents: Sequence[Reading]) -> dict[str, Span]:
    """Return for agents beside a tool call the one that called them, within whose time they worked entirely.

    OpenLLMetry puts an agent of OpenAI's Agents that was called as a tool beside its caller. The tool has the agent's
    name, or a name that contains it (`ask_hotel_agent`), or the agent's question is among its arguments. A tool call or
    hand-off above an agent called it, and so did an agent above it, except where that agent made the tool call.
    """
    tools = [tool for tool in readings.values() if tool.step.kind == "tool" and tool.step.tool_name]
    if not tools:
        return {}
    above = tree.nearest({span_id for span_id, reading in readings.items() if reading.step.kind in CALLERS})
    questions = _find_first_questions(tree, readings, agents)
    callers: dict[str, Span] = {}
    for agent in agents:
        outer = above[agent.span.span_id]
        if outer is None or readings[outer.span_id].step.kind == "agent":
            beside = tools if outer is None else [tool for tool in tools if above[tool.span.span_id] is outer]
            around = [tool for tool in beside if contains(tool.span, agent.span)]
            caller = _choose_caller(agent, questions.get(agent.span.span_id), around)
            if caller is not None:
                callers[agent.span.span_id] = caller.span
    return callers


def _find_first_questions(tree: Tree, readings: Mapping[str, Reading], agents: Sequence[Reading]) -> dict[str, str]:
    """Return the question of each agent, by the id of its span: that of its first model call."""
    above = tree.nearest({agent.span.span_id for agent in agents})
    questions: dict[str, str] = {}
    for reading in readings.values():
        agent = above[reading.span.span_id] if reading.step.kind == "model" else None
        if agent is not None and (text := last_text(reading.step.input or (), "user")):
            questions.setdefault(agent.span_id, text)
    return questions


def _choose_caller(agent: Reading, question: str | None, tools: Sequence[Reading]) -> Reading | None:
    """Return the tool call around an agent's time that called it, by the most certain sign."""
    name = plain_name(agent.step.agent_name or "")
    names = [(plain_name(tool.step.tool_name or ""), tool) for tool in tools]
    same_name = (tool for called, tool in names if name and called == name)
    part_of_name = (tool for called, tool in names if name and f"_{name}_" in f"_{called}_")
    with_arguments = (tool for tool in tools if question is not None and isinstance(tool.step.args, dict))
    with_question = (tool for tool in with_arguments if question in tool.step.args.values())
    return next(chain(same_name, part_of_name, with_question), None)


def _find_agents_of_work(tree: Tree, readings: Mapping[str, Reading], agents: Sequence[Reading]) -> dict[str, Span]:
    """Return for spans that only give structure the agent beside them that has no spans of its own.

    Some instrumentations, such as OpenLLMetry's for LangGraph, close an agent's span over a sibling in which the work
    is done. A sibling is adopted if it lies entirely within the agent's time; of two such agents by the shorter one.
    """
    childless = [agent.span for agent in agents if agent.span.parent_span_id]
    if not childless:
        return {}
    children = tree.group_children()
    parents: dict[str, Span] = {}
    for agent in sorted(childless, key=lambda span: span.start_ns - span.end_ns):
        if agent.span_id in children:
            continue
        for sibling in children.get(agent.parent_span_id or "", ()):
            if (
                sibling.span_id not in readings
                and agent.start_ns <= sibling.start_ns
                and sibling.end_ns <= agent.end_ns
            ):
                parents[sibling.span_id] = agent
    return parents
