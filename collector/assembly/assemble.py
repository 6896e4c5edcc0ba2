"""A set of spans and log records in, AgentTraces out: no clock, no order of arrival, no memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.pricing.price_table import LIST_PRICES, PriceTable

from .. import dialects
from ..records.fingerprint import fingerprint
from ..spans.frozen import updated
from ..spans.span import Span, instant, recorded_alone
from ..spans.step import NO_USAGE, Step
from .contents import with_contents
from .conversation import converse, has_content, retold
from .costs import called_model, cost_of_run
from .delegation import mark_delegated_runs
from .ending import ending_of
from .gaps import gaps
from .history_deltas import complete_histories
from .identity import Who, identity, who_of
from .input_output import definitions_of, final_response, input_of
from .model_calls import calls_of_models, llm_calls, usage
from .reparenting import adopt
from .rollups import recorded_total, split_rollups, with_inner_counts
from .run import Read, Run
from .runs import runs
from .totals import totals
from .trace_context import Whole
from .trajectory import trajectory, with_sub_agents
from .tree import Tree

__all__ = ["assemble"]


@dataclass(frozen=True, slots=True)
class Told:
    """A run, told, and what the run around it takes over: through whom it speaks, and whether tokens are counted."""

    trace: AgentTrace
    speakers: Sequence[Read]
    has_usage: bool


def assemble(
    spans: Iterable[Span],
    logs: Iterable[Mapping[str, Any]] = (),
    *,
    is_whole: bool = True,
    prices: PriceTable = LIST_PRICES,
) -> list[AgentTrace]:
    """The agent runs in the spans of one trace, in order of time; the same set gives the same fingerprints.

    `logs` are rows of the table `logs`. A run is `complete` when its agent span has ended and every span below has
    its parent; otherwise it is `partial`, and may be complete once more has arrived. A span that its dialect cannot
    make sense of is a gap of the trace's runs; where it leaves none, its error is raised. Where the trace has more
    spans than these, `is_whole` is False. Log records without any span make a partial run where a dialect can read
    them alone. What costs are not recorded are computed from `prices`.
    """
    logs = list(logs)
    tree = Tree(with_contents(spans, logs) or recorded_alone(logs))
    read, errors = _read(tree)
    if not read and not errors:
        return []  # no dialect speaks in it, and most traces that are no agent's come in great numbers
    complete_histories(read)
    mark_delegated_runs(tree, read)
    adopt(tree, read)
    found = runs(tree, read)
    if errors and not found:
        raise errors[0]
    whole = Whole.of(tree, read, is_whole=is_whole, is_readable=not errors, found=found)
    ordered = _parents_first(found)
    who: dict[str, Who] = {}
    for run in ordered:
        who[run.top.span_id] = who_of(whole, run, who[run.parent.top.span_id] if run.parent else None)
    told: dict[str, Told] = {}
    for run in reversed(ordered):
        below = [told[child.top.span_id] for child in run.children]
        told[run.top.span_id] = _told(whole, run, who[run.top.span_id], below, prices)
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


def _told(whole: Whole, run: Run, who: Who, below: Sequence[Told], prices: PriceTable) -> Told:
    exchanges, rollups = split_rollups(with_inner_counts(whole.around_model, run.of("model")))
    models = calls_of_models(whole.around_model, exchanges)
    total = recorded_total(run.own, rollups, whole.above(run.top) if whole.has_one_run else ())
    speakers = models or [one for child in below for one in child.speakers]
    around = retold([*run.of("message"), *run.of("agent"), *run.of("workflow")])
    heard = converse(models, run.own)
    conversation = heard if has_content(heard.messages) or not has_content(around.messages) else around
    traces = [child.trace for child in below]
    called = trajectory(whole, run, conversation, around, traces)
    ending = ending_of(whole, run, calls=called, below=traces)
    has_usage_below = any(child.has_usage for child in below)
    made = with_sub_agents(whole, run, called, traces)
    own = _models(run, models, speakers, prices, recorded=None if has_usage_below else total)
    trace = AgentTrace(
        **identity(run),
        **who,
        **own,
        **totals(own, tool_calls=made, children=traces, recorded=total.usage if total else NO_USAGE),
        input=input_of(whole, run, speakers),
        messages=conversation.placed,
        tool_calls=tuple(made),
        tool_definitions=definitions_of(run, traces),
        final_response=final_response(run, speakers, traces),
        reasoning_steps=tuple(conversation.reasoning),
        error=ending.error,
        interrupt=ending.interrupt,
        completeness="partial" if run.missing_parent or not run.top.end_ns else "complete",
        gaps=gaps(whole, run, calls=called, messages=conversation.messages),
    )
    return Told(
        trace=updated(trace, fingerprint=fingerprint(trace)),
        speakers=speakers,
        has_usage=has_usage_below or any(one.step.usage != NO_USAGE for one in run.steps),
    )


def _models(
    run: Run, models: Sequence[Read], speakers: Sequence[Read], prices: PriceTable, *, recorded: Step | None
) -> dict[str, Any]:
    """What the run says of its model calls; `speakers` are those of its sub-agents where it made none."""
    calls = llm_calls(models, prices)
    steps = [*((run.own,) if run.own else ()), *(one.step for one in speakers)]
    spent = usage(calls, recorded)
    return {
        "llm_calls": calls,
        "provider_name": next((one.step.provider_name for one in speakers if one.step.provider_name), None),
        "model": next((call.model for call in calls if call.model), None)
        or next((name for step in steps if (name := called_model(step).name)), None),
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cached_input_tokens": spent.cached_input_tokens,
        "cost_usd": cost_of_run(models, calls, recorded, instant(run.top.start_ns), prices),
    }
