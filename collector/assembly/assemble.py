"""A set of spans and log records in, AgentTraces out: no clock, no order of arrival, no memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import orjson

from tracegrade.evaluators.model import AgentTrace, ToolCall, ToolCallPart, ToolDefinition

from .. import dialects
from ..span import Span, instant, join
from ..step import NO_USAGE, Step
from .adoption import adopt
from .calls import once, tool_calls
from .conversation import Conversation, converse, has_content, last_text, retold
from .gaps import gaps
from .histories import complete_histories
from .models import calls_of_models, llm_calls, usage
from .run import Read, Run, contains, plain
from .runs import runs
from .tree import Tree
from .whole import Whole

__all__ = ["assemble"]

Who: TypeAlias = Mapping[str, str | None]

_SESSION, _USER = ("gen_ai.conversation.id", "session.id"), ("user.id", "enduser.id")
"""Where an application's own span says whose run it is."""


@dataclass(frozen=True, slots=True)
class Told:
    """A run, told, and what the run around it takes over: through whom it speaks, and whether tokens are counted."""

    trace: AgentTrace
    speakers: Sequence[Read]
    has_usage: bool


def assemble(
    spans: Iterable[Span], logs: Iterable[Mapping[str, Any]] = (), *, is_whole: bool = True
) -> list[AgentTrace]:
    """The agent runs in the spans of one trace, in order of time; the same set gives the same fingerprints.

    `logs` are rows of the table `logs`. A run is `complete` when its agent span has ended and every span below has
    its parent; otherwise it is `partial`, and may be complete once more has arrived. A span that its dialect cannot
    make sense of is a gap of the trace's runs; where it leaves none, its error is raised. Where the trace has more
    spans than these, `is_whole` is False.
    """
    tree = Tree(join(spans, logs))
    read, errors = _read(tree)
    complete_histories(read)
    adopt(tree, read)
    found = runs(tree, read)
    if errors and not found:
        raise errors[0]
    whole = Whole.of(tree, read, is_whole=is_whole, is_readable=not errors, has_one_run=len(found) == 1)
    ordered = _parents_first(found)
    who: dict[str, Who] = {}
    for run in ordered:
        who[run.top.span_id] = _who(whole, run, who[run.parent.top.span_id] if run.parent else None)
    told: dict[str, Told] = {}
    for run in reversed(ordered):
        below = [told[child.top.span_id] for child in run.children]
        told[run.top.span_id] = _told(whole, run, who[run.top.span_id], below)
    return [told[run.top.span_id].trace for run in found]


def _parents_first(found: Sequence[Run]) -> list[Run]:
    waiting, ordered = [run for run in found if run.parent is None], []
    while waiting:
        run = waiting.pop()
        ordered.append(run)
        waiting += run.children
    return ordered


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


def _told(whole: Whole, run: Run, who: Who, below: Sequence[Told]) -> Told:
    models = calls_of_models(whole.around_model, run.of("model"))
    speakers = models or [one for child in below for one in child.speakers]
    around = retold([*run.of("agent"), *run.of("workflow")])
    heard = converse(models)
    conversation = heard if has_content(heard.messages) or not has_content(around.messages) else around
    called = _handed_on(below) if run.hands_over else _calls(whole, run, conversation, around, below)
    has_usage_below = any(child.has_usage for child in below)
    trace = AgentTrace(
        **_identity(run),
        **who,
        **_models(run, models, counts_own=not has_usage_below),
        input=_input(run.own, speakers) or (_given_above(whole, run) if whole.has_one_run else None),
        messages=conversation.placed,
        tool_calls=tuple(called),
        tool_definitions=_definitions(run, below),
        final_response=_final(run, speakers, below),
        reasoning_steps=conversation.reasoning,
        error=(run.own.error if run.own else None) or run.top.error,
        completeness="partial" if run.missing_parent or not run.top.end_ns else "complete",
        gaps=gaps(whole, run, calls=called, messages=conversation.messages),
    )
    return Told(
        trace=trace.model_copy(update={"fingerprint": _fingerprint(trace)}),
        speakers=speakers,
        has_usage=has_usage_below or any(one.step.usage != NO_USAGE for one in run.steps),
    )


def _fingerprint(trace: AgentTrace) -> str:
    """The same for the same content; `trace` has no revision, fingerprint or reference of its own yet."""
    content = orjson.dumps(vars(trace), default=vars, option=orjson.OPT_NON_STR_KEYS)
    return hashlib.sha256(content).hexdigest()[:32]


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
        "dialect": _most([one.dialect for one in run.steps]),
    }


def _most(dialects: Sequence[str]) -> str | None:
    """The dialect of most steps; of two as frequent the one that came first."""
    counted = Counter(dialects).most_common(1)
    return counted[0][0] if counted else None


def _id(top: Span) -> str:
    return f"{top.trace_id}-{top.span_id}"


def _calls(
    whole: Whole, run: Run, conversation: Conversation, around: Conversation, below: Sequence[Told]
) -> list[ToolCall]:
    """The run's tool calls; what is told around the model calls completes what these tell."""
    known = {part.id for part in conversation.asked}
    asked = [*conversation.asked, *(part for part in around.asked if part.id is not None and part.id not in known)]
    ran = once(whole.around_tool, run.of("tool"))
    provided = conversation.provided if run.of("model") else frozenset()
    return tool_calls(
        [*ran, *_functions(run, {part.name for part in asked} - {one.step.tool_name for one in ran})],
        asked,
        _answers(whole.answers, around.answers, conversation.answers),
        failed=conversation.failed | around.failed,
        unseen={**{id(part): None for part in asked if part.id in provided}, **_delegated(asked, below)},
    )


def _answers(*told: Mapping[str, Sequence[str | None]]) -> dict[str, Sequence[str | None]]:
    """What was answered, from the farthest source to the nearest: that which knows the answers is believed."""
    found: dict[str, Sequence[str | None]] = {}
    for answers in told:
        found |= {call_id: given for call_id, given in answers.items() if call_id not in found or any(given)}
    return found


def _functions(run: Run, names: Collection[str]) -> list[Read]:
    """The spans of plain functions that are named like a tool the model asked for: that is what ran."""
    return [
        replace(one, step=replace(one.step, kind="tool", tool_name=one.span.name, result=one.step.output_text))
        for one in run.of("workflow")
        if one.span.name in names and one.span is not run.top
    ]


def _delegated(asked: Sequence[ToolCallPart], below: Sequence[Told]) -> dict[int, str | None]:
    """The calls that were answered by an agent of the tool's name: what each agent said, by `id` of the part."""
    left = {id(part): part for part in asked}
    found: dict[int, str | None] = {}
    for child in below:
        name = plain(child.trace.agent_name or "")
        part = next((part for part in left.values() if plain(part.name) == name), None)
        if part is not None:
            del left[id(part)]
            found[id(part)] = child.trace.final_response
    return found


def _handed_on(below: Iterable[Told]) -> list[ToolCall]:
    """The trajectory of a run that only hands over: the calls of the agents it hands over to, one after the other."""
    return [
        call.model_copy(
            update={
                "agent_name": call.agent_name or child.trace.agent_name,
                "child_agent_trace_id": call.child_agent_trace_id or child.trace.agent_trace_id,
            }
        )
        for child in below
        for call in child.trace.tool_calls
    ]


def _models(run: Run, models: Sequence[Read], *, counts_own: bool) -> dict[str, Any]:
    calls = llm_calls(models)
    own_model = (run.own.response_model or run.own.request_model) if run.own else None
    spent = usage(calls, run.own if counts_own else None)
    return {
        "llm_calls": calls,
        "provider_name": next((call.provider_name for call in calls if call.provider_name), None),
        "model": next((model for call in calls if (model := call.response_model or call.request_model)), own_model),
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cached_input_tokens": spent.cached_input_tokens,
        "cost_usd": spent.cost_usd,
    }


def _who(whole: Whole, run: Run, caller: Who | None) -> Who:
    """Name, version, session and user: from the run itself, else from the nearest that says."""
    own = [run.own] if run.own else []
    agents = [*own, *run.own_steps]
    around = [*own, *(one.step for one in run.steps)]
    above = () if caller else tuple(whole.above(run.top))
    said = caller or {}
    return {
        "agent_name": _first_said("agent_name", agents)
        or _name_of_team(run)
        or _first_said("agent_name", (*around, *above))
        or _name_of_call(whole, run),
        "agent_id": _first_said("agent_id", agents),
        "agent_version": _first_said("agent_version", agents) or run.top.service_version,
        "session_id": _first_said("session_id", (*around, *above))
        or whole.said_around(run.top, _SESSION)
        or said.get("session_id")
        or whole.session_id,
        "user_id": _first_said("user_id", (*around, *above))
        or whole.said_around(run.top, _USER)
        or said.get("user_id")
        or whole.user_id,
    }


def _name_of_team(run: Run) -> str | None:
    """A workflow is called as its span is."""
    return run.top.name.removeprefix("invoke_workflow ") or None if run.hands_over else None


def _name_of_call(whole: Whole, run: Run) -> str | None:
    """An agent that was called as a tool is called as the tool is."""
    call = whole.around_tool[run.top.span_id]
    is_called = call is not None and run.parent is not None and contains(run.parent.top, call)
    return whole.read[call.span_id].step.tool_name if call is not None and is_called else None


def _first_said(field: str, steps: Iterable[Step]) -> Any:
    return next((value for step in steps if (value := getattr(step, field)) is not None), None)


def _input(own: Step | None, models: Sequence[Read]) -> str | None:
    """What the user asked in this run."""
    said = (last_text(own.input or (), "user") or own.input_text) if own else None
    if said is None and models:
        return last_text(models[0].step.input or (), "user")
    return said


def _given_above(whole: Whole, run: Run) -> str | None:
    """What a workflow was asked of which this run is all."""
    given = (last_text(step.input or (), "user") or step.input_text for step in whole.above(run.top))
    return next((text for text in given if text is not None), None)


def _final(run: Run, models: Sequence[Read], below: Sequence[Told]) -> str | None:
    """The answer: what the run says it gave back, else the last text of the model that asks for no tool.

    A run that handed over and said no more answered through the last run below it.
    """
    said = _closing(run.own) if run.own else None
    if said is None:
        said = next((text for one in reversed(models) if (text := _answer(one.step)) is not None), None)
    if said is None and run.top.status_code != "error":
        answers = [child.trace.final_response for child in below]
        said = next((answer for answer in reversed(answers) if answer is not None), None)
    return said


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


def _definitions(run: Run, below: Sequence[Told]) -> tuple[ToolDefinition, ...] | None:
    """Every tool that was offered, once; of two of one name the one with a schema."""
    offered = [definition for one in run.steps for definition in one.step.definitions or ()]
    if run.hands_over:
        offered += [definition for child in below for definition in child.trace.tool_definitions or ()]
    found: dict[str, ToolDefinition] = {}
    for definition in offered:
        known = found.get(definition.name)
        if known is None or (known.input_schema is None and definition.input_schema is not None):
            found[definition.name] = definition
    return tuple(found.values()) or None
