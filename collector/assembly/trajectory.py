"""The tool calls of a run: its own, and those of the agents that worked for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from tracegrade.evaluators.model import AgentTrace, ToolCall, ToolCallPart

from ..spans.frozen import replace, updated
from .answers import Answers
from .calls import foreign_calls, once, partners, tool_calls
from .conversation import Conversation
from .handoffs import agent_of, handed_over
from .run import Read, Run, plain
from .trace_context import Whole
from .waiting import without_resumed

__all__ = ["trajectory", "with_sub_agents"]


def trajectory(
    whole: Whole, run: Run, conversation: Conversation, around: Conversation, below: Sequence[AgentTrace]
) -> list[ToolCall]:
    """The run's tool calls; what is told `around` the model calls completes what these tell.

    A run that only hands over has the calls of the runs `below`. Calls that another service wrote into the run are
    among them, marked, and no longer among its steps.
    """
    if run.hands_over:
        return _handed_on(below)
    earlier = {part.id for part in conversation.asked_before}
    known = earlier | {part.id for part in conversation.asked}
    known |= {call.id for trace in below for call in trace.tool_calls}
    services = run.services
    ran = without_resumed(once(whole.around_tool, run.of("tool"), services))
    asked = [
        *_resumed(run, conversation, ran),
        *conversation.asked,
        *(part for part in around.asked if part.id is not None and part.id not in known),
    ]
    for source in (around, conversation):
        source.take_up(part for part in asked if part.id not in earlier)
    ours = _without_foreign(whole, run, ran, asked)
    answers = _answers(whole.answers, around.answers, conversation.answers)
    provided = [part for part in asked if conversation.is_provided(part)] if run.of("model") else []
    calls = tool_calls(
        [*ran, *_functions(run, {part.name for part in asked} - {one.step.tool_name for one in ours})],
        asked,
        Answers(answers, by_part=conversation.answers_of_parts, failed=conversation.failed | around.failed),
        unseen={
            **{id(part): None for part in provided},
            **dict.fromkeys(handed_over(run, asked, answers)),
            **_delegated(run, asked, below),
        },
        is_whole=run.has_agent_span,
        services=services,
    )
    return [*(call for call in calls if call.is_foreign), *_handed_on(below)] if run.hands_over else calls


def _without_foreign(whole: Whole, run: Run, ran: Sequence[Read], asked: Sequence[ToolCallPart]) -> Sequence[Read]:
    """The calls among `ran` that are not foreign.

    Those that are, and what other services recorded within them, are left out of the steps of the run: they do not
    tell how it went, or ended.
    """
    services = run.services
    foreign = {one.span.span_id for one in foreign_calls(ran, asked, services)}
    if not foreign:
        return ran
    above = whole.tree.nearest(foreign)
    within = {
        one.span.span_id
        for one in run.of("tool")
        if above[one.span.span_id] is not None and one.span.service_name not in services
    }
    run.leave_out(foreign | within)
    return [one for one in ran if one.span.span_id not in foreign]


def _resumed(run: Run, conversation: Conversation, ran: Sequence[Read]) -> list[ToolCallPart]:
    """The calls of the history that tools of this run carried out before it asked its model anything."""
    first_model_ns = min((one.span.start_ns for one in run.of("model")), default=0)
    early = [one for one in ran if one.span.start_ns < first_model_ns]
    open_calls = conversation.left_open if early else []
    if not open_calls:
        return []
    resumed = {id(part) for part in partners(early, open_calls).values()}
    calls = [part for part in open_calls if id(part) in resumed]
    conversation.take_up(calls)
    return calls


def with_sub_agents(
    whole: Whole, run: Run, called: Sequence[ToolCall], below: Sequence[AgentTrace]
) -> Sequence[ToolCall]:
    """What the run `called` and, each behind the call within which it worked, what the agents `below` did.

    Where no call is around an agent, it stands behind the one that is named after it, else behind the last that
    began before it. Of agents within agents only the outer ones take over what those within did, lest a trace that goes
    ever deeper becomes ever larger.
    """
    if not below or run.hands_over or not run.is_near_the_top:
        return called
    at_of = {call.span_id: at for at, call in enumerate(called) if call.span_id is not None}
    named = _places_without_span(called)
    behind: dict[int, list[AgentTrace]] = {}
    for child in below:
        around = whole.around_tool.get(child.agent_span_id)
        at = at_of.get(around.span_id) if around is not None else None
        if at is None and (places := named.get(plain(child.agent_name or ""))):
            at = places.popleft()
        behind.setdefault(_last_before(called, child) if at is None else at, []).append(child)
    found = _handed_on(behind.get(-1, ()))
    for at, call in enumerate(called):
        found += [call, *_handed_on(behind.get(at, ()))]
    return found


def _places_without_span(called: Sequence[ToolCall]) -> dict[str, deque[int]]:
    """Where the calls without a span stand, by the plain name of the agent that each would call."""
    places: dict[str, deque[int]] = {}
    for at, call in enumerate(called):
        if call.span_id is None:
            places.setdefault(agent_of(call.name), deque()).append(at)
    return places


def _last_before(called: Sequence[ToolCall], child: AgentTrace) -> int:
    """Where the last of the calls stands that began before the run `child`; -1 where none did."""
    began = [
        at
        for at, call in enumerate(called)
        if call.started_at is not None and child.started_at is not None and call.started_at <= child.started_at
    ]
    return began[-1] if began else -1


def _answers(*told: Mapping[str, Sequence[str | None]]) -> dict[str, Sequence[str | None]]:
    """What was answered, from the farthest source to the nearest: that which knows the answers is believed."""
    found: dict[str, Sequence[str | None]] = {}
    for answers in told:
        found |= {call_id: given for call_id, given in answers.items() if call_id not in found or any(given)}
    return found


def _functions(run: Run, names: Collection[str]) -> list[Read]:
    """The spans of plain functions that are named like a tool the model asked for: that is what ran."""
    return [
        one._replace(step=replace(one.step, kind="tool", tool_name=one.span.name, result=one.step.output_text))
        for one in run.of("workflow")
        if one.span.name in names and one.span is not run.top
    ]


def _delegated(run: Run, asked: Sequence[ToolCallPart], below: Sequence[AgentTrace]) -> dict[int, str | None]:
    """The calls that were answered by an agent, which has the id of the call or the name of the tool: what each agent
    said, by `id` of the part."""
    by_call = {part.id: part for part in asked if part.id is not None} if below else {}
    calls = [by_call.get(child.own.call_id) if child.own and child.own.call_id else None for child in run.children]
    found = {id(call): trace.final_response for call, trace in zip(calls, below, strict=True) if call is not None}
    left: dict[str, deque[ToolCallPart]] = {}
    for part in asked if below else ():
        if id(part) not in found:
            left.setdefault(agent_of(part.name), deque()).append(part)
    for call, child in zip(calls, below, strict=True):
        if call is None and (parts := left.get(plain(child.agent_name or ""))):
            part = parts.popleft()
            found[id(part)] = child.final_response if agent_of(part.name) == plain(part.name) else None
    return found


def _handed_on(below: Iterable[AgentTrace]) -> list[ToolCall]:
    """What the agents below called, one after the other; each call names its agent and the run that made it."""
    return [
        updated(
            call,
            agent_name=call.agent_name or child.agent_name,
            child_agent_trace_id=call.child_agent_trace_id or child.agent_trace_id,
        )
        for child in below
        for call in child.tool_calls
    ]
