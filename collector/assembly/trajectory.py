"""The tool calls of a run: its own, and those of its sub-agents."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from tracegrade.evaluators.model import AgentTrace, ToolCall, ToolCallPart

from ..spans.frozen import copy_with, replace
from ..spans.values import canonical
from .answers import Answers
from .calls import build_tool_calls, find_foreign_calls, merge_tool_spans, pair_calls
from .conversation import Conversation
from .handoffs import agent_of, find_handoff_calls
from .run import Reading, Run, plain_name
from .trace_context import TraceContext
from .waiting import drop_resumed

__all__ = ["add_sub_agents", "build_trajectory"]


def build_trajectory(
    context: TraceContext, run: Run, conversation: Conversation, around: Conversation, below: Sequence[AgentTrace]
) -> list[ToolCall]:
    """Return the run's tool calls; the conversation `around` the model calls completes that of these.

    A run that only hands over has the calls of the runs `below`. Calls that another service wrote into the run are
    among them, marked, and no longer among its steps.
    """
    if run.hands_over:
        return _collect_calls_below(below)
    earlier = {part.id for part in conversation.requested_before}
    known_ids = earlier | {part.id for part in conversation.requested}
    known_ids |= {call.id for trace in below for call in trace.tool_calls}
    services = run.services
    ran = drop_resumed(merge_tool_spans(context.around_tool, run.of("tool"), services))
    requested = [
        *_find_resumed_calls(run, conversation, ran),
        *conversation.requested,
        *_find_further_calls(around.requested, conversation.requested, known_ids),
    ]
    for source in (around, conversation):
        source.take_answers_of(part for part in requested if part.id not in earlier)
    ours = _without_foreign(context, run, ran, requested)
    answers = _merge_answers(context.answers, around.answers, conversation.answers)
    provided = [part for part in requested if conversation.is_provided(part)] if run.of("model") else []
    calls = build_tool_calls(
        [*ran, *_find_function_spans(run, {part.name for part in requested} - {tool.step.tool_name for tool in ours})],
        requested,
        Answers(answers, by_part=conversation.answers_of_parts, failed=conversation.failed | around.failed),
        unseen={
            **{id(part): None for part in provided},
            **dict.fromkeys(find_handoff_calls(run, requested, answers)),
            **_find_delegated_calls(run, requested, below),
        },
        is_whole=run.has_agent_span,
        services=services,
    )
    return [*(call for call in calls if call.is_foreign), *_collect_calls_below(below)] if run.hands_over else calls


def _find_further_calls(
    around: Sequence[ToolCallPart], requested: Sequence[ToolCallPart], known_ids: Collection[str | None]
) -> list[ToolCallPart]:
    """Return the calls `around` the model calls that are none of the `requested` ones, which may lack their ids."""
    nameless = Counter((part.name, canonical(part.arguments)) for part in requested if part.id is None)
    further: list[ToolCallPart] = []
    for part in around:
        content = (part.name, canonical(part.arguments))
        if part.id is None or part.id in known_ids:
            continue
        if nameless[content]:
            nameless[content] -= 1
        else:
            further.append(part)
    return further


def _without_foreign(
    context: TraceContext, run: Run, ran: Sequence[Reading], requested: Sequence[ToolCallPart]
) -> Sequence[Reading]:
    """Return the calls among `ran` that are not foreign.

    Foreign calls, and calls of other services within them, are removed from the steps of the run: they say nothing
    about its course or its end.
    """
    services = run.services
    foreign = {tool.span.span_id for tool in find_foreign_calls(ran, requested, services)}
    if not foreign:
        return ran
    above = context.tree.nearest(foreign)
    within = {
        tool.span.span_id
        for tool in run.of("tool")
        if above[tool.span.span_id] is not None and tool.span.service_name not in services
    }
    run.leave_out(foreign | within)
    return [tool for tool in ran if tool.span.span_id not in foreign]


def _find_resumed_calls(run: Run, conversation: Conversation, ran: Sequence[Reading]) -> list[ToolCallPart]:
    """Return the calls of the history that tools of this run executed before its first model call."""
    first_model_ns = min((reading.span.start_ns for reading in run.of("model")), default=0)
    early = [reading for reading in ran if reading.span.start_ns < first_model_ns]
    open_calls = conversation.open_history_calls if early else []
    if not open_calls:
        return []
    resumed = {id(part) for part in pair_calls(early, open_calls).values()}
    calls = [part for part in open_calls if id(part) in resumed]
    conversation.take_answers_of(calls)
    return calls


def add_sub_agents(
    context: TraceContext, run: Run, calls: Sequence[ToolCall], below: Sequence[AgentTrace]
) -> Sequence[ToolCall]:
    """Return the run's `calls` and, each after the call within which they were made, those of the agents `below`.

    The calls of an agent without a call around it follow the one that is named after the agent, else the last that
    began before it. Of nested agents only the outer ones include the calls of the inner ones, or else a deeply nested
    trace would grow without bound.
    """
    if not below or run.hands_over or not run.is_near_the_top:
        return calls
    at_of = {call.span_id: position for position, call in enumerate(calls) if call.span_id is not None}
    positions_of_agents = _positions_without_span(calls)
    following: dict[int, list[AgentTrace]] = {}
    for child in below:
        around = context.around_tool.get(child.agent_span_id)
        position = at_of.get(around.span_id) if around is not None else None
        if position is None and (positions := positions_of_agents.get(plain_name(child.agent_name or ""))):
            position = positions.popleft()
        following.setdefault(_last_before(calls, child) if position is None else position, []).append(child)
    trajectory = _collect_calls_below(following.get(-1, ()))
    for position, call in enumerate(calls):
        trajectory += [call, *_collect_calls_below(following.get(position, ()))]
    return trajectory


def _positions_without_span(calls: Sequence[ToolCall]) -> dict[str, deque[int]]:
    """Return the positions of the calls without a span, by the plain name of the agent that each would call."""
    positions: dict[str, deque[int]] = {}
    for position, call in enumerate(calls):
        if call.span_id is None:
            positions.setdefault(agent_of(call.name), deque()).append(position)
    return positions


def _last_before(calls: Sequence[ToolCall], child: AgentTrace) -> int:
    """Return the position of the last call that began before the run `child`; -1 where none did."""
    positions = [
        position
        for position, call in enumerate(calls)
        if call.started_at is not None and child.started_at is not None and call.started_at <= child.started_at
    ]
    return positions[-1] if positions else -1


def _merge_answers(*sources: Mapping[str, Sequence[str | None]]) -> dict[str, Sequence[str | None]]:
    """Merge answers from the farthest source to the nearest: the nearest that records an answer counts."""
    merged: dict[str, Sequence[str | None]] = {}
    for answers in sources:
        merged |= {
            call_id: responses for call_id, responses in answers.items() if call_id not in merged or any(responses)
        }
    return merged


def _find_function_spans(run: Run, names: Collection[str]) -> list[Reading]:
    """Return the spans of plain functions with the name of a requested tool: its executions."""
    return [
        reading._replace(
            step=replace(reading.step, kind="tool", tool_name=reading.span.name, result=reading.step.output_text)
        )
        for reading in run.of("workflow")
        if reading.span.name in names and reading.span is not run.top
    ]


def _find_delegated_calls(
    run: Run, requested: Sequence[ToolCallPart], below: Sequence[AgentTrace]
) -> dict[int, str | None]:
    """Return the responses of agents to calls, by `id` of the part.

    An agent that answers a call has the id of the call, or the name of the tool.
    """
    by_call = {part.id: part for part in requested if part.id is not None} if below else {}
    calls = [by_call.get(child.own.call_id) if child.own and child.own.call_id else None for child in run.children]
    responses = {id(call): trace.final_response for call, trace in zip(calls, below, strict=True) if call is not None}
    remaining: dict[str, deque[ToolCallPart]] = {}
    for part in requested if below else ():
        if id(part) not in responses:
            remaining.setdefault(agent_of(part.name), deque()).append(part)
    for call, child in zip(calls, below, strict=True):
        if call is None and (parts := remaining.get(plain_name(child.agent_name or ""))):
            part = parts.popleft()
            responses[id(part)] = child.final_response if agent_of(part.name) == plain_name(part.name) else None
    return responses


def _collect_calls_below(below: Iterable[AgentTrace]) -> list[ToolCall]:
    """Return the calls of the agents below, in order; each call names its agent and the run that made it."""
    return [
        copy_with(
            call,
            agent_name=call.agent_name or child.agent_name,
            child_agent_trace_id=call.child_agent_trace_id or child.agent_trace_id,
        )
        for child in below
        for call in child.tool_calls
    ]
