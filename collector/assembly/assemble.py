"""A set of spans and log records in, AgentTraces out: no clock, no order of arrival, no memory."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tracegrade.evaluators.model import AgentTrace, ToolCall, ToolCallPart, ToolDefinition

from .. import dialects
from ..span import Span, instant, join
from ..step import Step
from .adoption import adopt
from .calls import once, tool_calls
from .conversation import Conversation, converse, last_text, retold
from .gaps import gaps
from .models import calls_of_models, llm_calls, usage
from .runs import Read, Run, runs
from .tree import Tree

__all__ = ["assemble"]


def assemble(spans: Iterable[Span], logs: Iterable[Mapping[str, Any]] = ()) -> list[AgentTrace]:
    """The agent runs in the spans of one trace, in order of time; the same set gives the same fingerprints.

    `logs` are rows of the table `logs`. A run is `complete` when its agent span has ended and every span below has
    its parent; otherwise it is `partial`, and may be complete once more has arrived. A span that its dialect cannot
    make sense of is a gap of the trace's runs; where it leaves none, its error is raised.
    """
    tree = Tree(join(spans, logs))
    read, errors = _read(tree)
    adopt(tree, read)
    found = runs(tree, read)
    if errors and not found:
        raise errors[0]
    traces: dict[str, AgentTrace] = {}
    for run in reversed(found):
        below = [traces[child.top.span_id] for child in run.children]
        traces[run.top.span_id] = _trace(tree, run, read, below=below, is_whole=not errors)
    return [traces[run.top.span_id] for run in found]


def _read(tree: Tree) -> tuple[dict[str, Read], list[Exception]]:
    """What the spans record, by span id, and what went wrong over those that cannot be read."""
    read: dict[str, Read] = {}
    errors: list[Exception] = []
    for span in tree.spans.values():
        try:
            found = dialects.read(span)
        except Exception as error:  # noqa: BLE001 - what somebody wrote into one span must not cost the whole trace
            errors.append(error)
            continue
        if found is not None:
            read[span.span_id] = Read(span, found[1], found[0])
    return read, errors


def _trace(
    tree: Tree, run: Run, read: Mapping[str, Read], *, below: Sequence[AgentTrace], is_whole: bool
) -> AgentTrace:
    models = calls_of_models(tree, run.of("model"))
    told = retold([*run.of("agent"), *run.of("workflow")])
    conversation = converse(models) if models else told
    calls = _handed_on(below) if run.hands_over else _calls(tree, run, conversation, told)
    speakers = models or _calls_of_children(tree, run)
    trace = AgentTrace(
        **_identity(run),
        **_who(tree, run, read),
        **_models(run, models),
        input=_input(run.own, speakers),
        messages=conversation.placed,
        tool_calls=tuple(calls),
        tool_definitions=_definitions(run, below),
        final_response=_final(run.own, speakers),
        reasoning_steps=conversation.reasoning,
        error=(run.own.error if run.own else None) or run.top.error,
        completeness="partial" if run.missing_parent or not run.top.end_ns else "complete",
        gaps=gaps(tree, run, calls=calls, messages=conversation.messages, is_whole=is_whole),
    )
    return trace.model_copy(update={"fingerprint": _fingerprint(trace)})


def _fingerprint(trace: AgentTrace) -> str:
    """The same for the same content, whatever the revision."""
    content = trace.model_dump_json(exclude={"revision", "fingerprint", "reference"})
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def _identity(run: Run) -> dict[str, Any]:
    """What the run's top span alone says."""
    top = run.top
    return {
        "agent_trace_id": _id(top),
        "trace_id": top.trace_id,
        "agent_span_id": top.span_id,
        "parent_agent_trace_id": _id(run.parent.top) if run.parent else None,
        "service_name": top.service_name,
        "service_version": top.service_version,
        "environment": top.deployment_environment,
        "started_at": instant(top.start_ns),
        "ended_at": instant(top.end_ns) if top.end_ns else None,
        "duration_ms": top.duration_ms,
        "dialect": next((one.dialect for one in run.steps), None),
    }


def _id(top: Span) -> str:
    return f"{top.trace_id}-{top.span_id}"


def _calls(tree: Tree, run: Run, conversation: Conversation, told: Conversation) -> list[ToolCall]:
    """The run's tool calls; what is told around the model calls completes what these tell."""
    known = {part.id for part in conversation.asked}
    asked = [*conversation.asked, *(part for part in told.asked if part.id is not None and part.id not in known)]
    delegates = {_plain(name) for child in run.children if (name := _first_said("agent_name", child.own_steps))}
    delegated = {part.id for part in asked if part.id is not None and _plain(part.name) in delegates}
    return tool_calls(
        once(tree, run.of("tool")),
        asked,
        {**told.answers, **conversation.answers},
        failed=conversation.failed | told.failed,
        ran_unseen=delegated | (conversation.provided if run.of("model") else frozenset()),
    )


def _plain(name: str) -> str:
    """The same for an agent and for the tool that it is offered as."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _handed_on(below: Iterable[AgentTrace]) -> list[ToolCall]:
    """The trajectory of a run that only hands over: the calls of the agents it hands over to, one after the other."""
    return [
        call.model_copy(
            update={
                "agent_name": call.agent_name or trace.agent_name,
                "child_agent_trace_id": call.child_agent_trace_id or trace.agent_trace_id,
            }
        )
        for trace in below
        for call in trace.tool_calls
    ]


def _calls_of_children(tree: Tree, run: Run) -> list[Read]:
    """A workflow that only hands over to agents speaks through them."""
    return [
        one
        for child in run.children
        for one in calls_of_models(tree, child.of("model")) or _calls_of_children(tree, child)
    ]


def _models(run: Run, models: Sequence[Read]) -> dict[str, Any]:
    calls = llm_calls(models)
    spent = usage(calls, run)
    return {
        "llm_calls": calls,
        "provider_name": next((call.provider_name for call in calls if call.provider_name), None),
        "model": next((model for call in calls if (model := call.response_model or call.request_model)), None),
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cached_input_tokens": spent.cached_input_tokens,
        "cost_usd": spent.cost_usd,
    }


def _who(tree: Tree, run: Run, read: Mapping[str, Read]) -> dict[str, Any]:
    """Name, version, session and user: from the run itself, else from the nearest that says."""
    own = [run.own] if run.own else []
    agents = [*own, *(one.step for one in run.of("agent"))]
    inside = [*own, *(one.step for one in run.steps)]
    above = [read[span.span_id].step for span in tree.ancestors(run.top) if span.span_id in read]
    around = [*inside, *above]
    return {
        "agent_name": _first_said("agent_name", agents) or _name_of_team(run) or _first_said("agent_name", around),
        "agent_id": _first_said("agent_id", agents),
        "agent_version": _first_said("agent_version", agents) or run.top.service_version,
        "session_id": _first_said("session_id", around) or _agreed("session_id", read.values()),
        "user_id": _first_said("user_id", around) or _agreed("user_id", read.values()),
    }


def _name_of_team(run: Run) -> str | None:
    """A workflow is called as its span is."""
    return run.top.name.removeprefix("invoke_workflow ") or None if run.hands_over else None


def _first_said(field: str, steps: Iterable[Step]) -> Any:
    return next((value for step in steps if (value := getattr(step, field)) is not None), None)


def _agreed(field: str, read: Iterable[Read]) -> Any:
    """The value that the whole trace agrees on."""
    values = {value for one in read if (value := getattr(one.step, field)) is not None}
    return values.pop() if len(values) == 1 else None


def _input(own: Step | None, models: Sequence[Read]) -> str | None:
    """What the user asked in this run."""
    said = (last_text(own.input or (), "user") or own.input_text) if own else None
    if said is None and models:
        return last_text(models[0].step.input or (), "user")
    return said


def _final(own: Step | None, models: Sequence[Read]) -> str | None:
    """The answer: what the run says it gave back, else the last text of the model that asks for no tool."""
    said = _closing(own) if own else None
    if said is not None:
        return said
    return next((text for one in reversed(models) if (text := _answer(one.step)) is not None), None)


def _closing(own: Step) -> str | None:
    """What the run's own span says it answered: its last message, unless that asks for a tool."""
    answers = [message for message in own.output or () if message.role == "assistant"]
    if answers and not answers[-1].text and not any(map(_can_run, answers[-1].tool_calls)):
        return ""
    return last_text(answers, "assistant") or own.output_text


def _answer(step: Step) -> str | None:
    """The text in which a model call asks for nothing more; "" where it was recorded and has none."""
    closing = [message for message in step.output or () if not any(map(_can_run, message.tool_calls))]
    return (closing[-1].text or "") if closing else step.output_text


def _can_run(call: ToolCallPart) -> bool:
    """Arguments that are no object end the conversation as well: there is nothing to run."""
    return not isinstance(call.arguments, str)


def _definitions(run: Run, below: Sequence[AgentTrace]) -> tuple[ToolDefinition, ...] | None:
    """Every tool that was offered, once; of two of one name the one with a schema."""
    offered = [definition for one in run.steps for definition in one.step.definitions or ()]
    if run.hands_over:
        offered += [definition for trace in below for definition in trace.tool_definitions or ()]
    found: dict[str, ToolDefinition] = {}
    for definition in offered:
        known = found.get(definition.name)
        if known is None or (known.input_schema is None and definition.input_schema is not None):
            found[definition.name] = definition
    return tuple(found.values()) or None
