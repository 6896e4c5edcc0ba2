"""A set of spans and log records in, AgentTraces out: no clock, no order of arrival, no memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tracegrade.evaluators.checks.closing import find_structured_answer
from tracegrade.evaluators.model import AgentTrace, Guardrail
from tracegrade.evaluators.pricing.price_table import LIST_PRICES, PriceTable

from .. import dialects
from ..records.fingerprint import fingerprint
from ..spans.frozen import copy_with
from ..spans.span import Span, build_spans_of_logs, instant
from ..spans.step import NO_USAGE, Step
from .contents import with_contents
from .conversation import build_conversation, build_conversation_around, has_content, last_text
from .costs import called_model, cost_of_run
from .delegation import mark_delegated_runs
from .ending import find_ending
from .gaps import find_gaps
from .history_deltas import complete_histories, complete_outputs, lend_fetched_answers
from .identity import Identity, identify_run, resolve_identity, shorten_names
from .input_output import collect_definitions, find_final_response, find_input
from .model_calls import build_llm_calls, merge_model_spans, sum_usage
from .reparenting import reparent
from .replays import drop_replays
from .rollups import find_recorded_total, split_rollups, with_inner_counts
from .run import Reading, Run
from .runs import find_runs
from .totals import sum_totals
from .trace_context import TraceContext
from .trajectory import add_sub_agents, build_trajectory
from .tree import Tree

__all__ = ["assemble"]

_MOST_GUARDRAILS: Final = 50
"""A run is one row in every list, with all of them."""


@dataclass(frozen=True, slots=True)
class AssembledRun:
    """A run with what the run around it needs: the model calls through which it answers, and whether it has tokens."""

    trace: AgentTrace
    speakers: Sequence[Reading]
    has_usage: bool


def assemble(
    spans: Iterable[Span],
    logs: Iterable[Mapping[str, Any]] = (),
    *,
    is_whole: bool = True,
    prices: PriceTable = LIST_PRICES,
) -> list[AgentTrace]:
    """Return the agent runs in the spans of one trace, in order of time; the same set gives the same fingerprints.

    `logs` are rows of the table `logs`. A run is `complete` when its agent span has ended and every span below has
    its parent; otherwise it is `partial`, and may become complete when more arrives. A span that its dialect cannot
    read is a gap of the trace's runs; if no run is left, its error is raised. Where the trace has more
    spans than these, `is_whole` is False. Log records without any span form a partial run if a dialect can read
    them alone. Costs that are not recorded are computed from `prices`.
    """
    logs = list(logs)
    tree = Tree(with_contents(spans, logs) or build_spans_of_logs(logs))
    readings, errors = _read_spans(tree)
    if not readings and not errors:
        return []  # most traces have no agent, and there are many of them
    lend_fetched_answers(readings)
    complete_histories(readings)
    complete_outputs(readings)
    drop_replays(tree, readings)
    mark_delegated_runs(tree, readings)
    reparent(tree, readings)
    runs = find_runs(tree, readings)
    if errors and not runs:
        raise errors[0]
    context = TraceContext.of(tree, readings, is_whole=is_whole, is_readable=not errors, runs=runs)
    ordered = _order_parents_first(runs)
    identities: dict[str, Identity] = {}
    for run in ordered:
        identities[run.top.span_id] = resolve_identity(
            context, run, identities[run.parent.top.span_id] if run.parent else None
        )
    assembled: dict[str, AssembledRun] = {}
    for run in reversed(ordered):
        below = [assembled[child.top.span_id] for child in run.children]
        assembled[run.top.span_id] = _assemble_run(context, run, identities[run.top.span_id], below, prices)
    return [assembled[run.top.span_id].trace for run in runs]


def _order_parents_first(runs: Sequence[Run]) -> list[Run]:
    waiting, ordered = [run for run in runs if run.parent is None], []
    while waiting:
        run = waiting.pop()
        ordered.append(run)
        waiting += run.children
    return ordered


def _read_spans(tree: Tree) -> tuple[dict[str, Reading], list[Exception]]:
    """Return the steps that the spans record, by span id, and the errors of those that cannot be read."""
    readings: dict[str, Reading] = {}
    errors: list[Exception] = []
    for span in tree.spans.values():
        try:
            reading = dialects.read(span)
        except Exception as error:  # noqa: BLE001 - the content of one span must not cost the whole trace
            errors.append(error)
            continue
        if reading is not None:
            readings[span.span_id] = Reading(span, reading[1], reading[0])
    return readings, errors


def _assemble_run(
    context: TraceContext, run: Run, identity_of_run: Identity, sub_agents: Sequence[AssembledRun], prices: PriceTable
) -> AssembledRun:
    exchanges, rollups = split_rollups(with_inner_counts(context.around_model, run.of("model")))
    models = merge_model_spans(context.around_model, exchanges)
    total = find_recorded_total(
        run.own, rollups, context.above(run.top) if context.has_one_run else (), has_calls=bool(models)
    )
    speakers = models or [reading for child in sub_agents for reading in child.speakers]
    conversation_around = build_conversation_around([*run.of("message"), *run.of("agent"), *run.of("workflow")])
    model_conversation = build_conversation(models, run.own)
    conversation = (
        model_conversation
        if has_content(model_conversation.messages) or not has_content(conversation_around.messages)
        else conversation_around
    )
    traces = [child.trace for child in sub_agents]
    own_calls = build_trajectory(context, run, conversation, conversation_around, traces)
    ending = find_ending(context, run, calls=own_calls, below=traces)
    has_usage_below = any(child.has_usage for child in sub_agents)
    tool_calls = add_sub_agents(context, run, own_calls, traces)
    figures = _summarize_model_calls(run, models, speakers, prices, recorded=None if has_usage_below else total)
    trace = AgentTrace(
        **identify_run(run),
        **identity_of_run,
        **figures,
        **sum_totals(figures, tool_calls=tool_calls, children=traces, recorded=total.usage if total else NO_USAGE),
        input=find_input(context, run, speakers),
        messages=conversation.located_messages,
        tool_calls=tuple(tool_calls),
        tool_definitions=collect_definitions(run, traces),
        final_response=find_final_response(run, speakers, traces),
        reasoning_steps=(*_list_plans(context, run, models), *conversation.reasoning),
        guardrails=_list_guardrails(run),
        error=ending.error,
        interrupt=ending.interrupt,
        completeness="partial" if run.missing_parent or not run.top.end_ns else "complete",
        gaps=find_gaps(context, run, calls=own_calls, messages=conversation.messages),
    )
    if (structured := find_structured_answer(trace)) is not None:
        trace = copy_with(trace, final_response=structured)
    trace = shorten_names(trace)
    return AssembledRun(
        trace=copy_with(trace, fingerprint=fingerprint(trace)),
        speakers=speakers,
        has_usage=has_usage_below or any(reading.step.usage != NO_USAGE for reading in run.steps),
    )


def _list_plans(context: TraceContext, run: Run, models: Sequence[Reading]) -> Iterator[str]:
    """Yield the text of each plan, which its span has, else the answers of the model calls below it."""
    plans = run.of("plan")
    around = context.tree.nearest({plan.span.span_id for plan in plans}) if plans else {}
    for plan in plans:
        below = [call.step for call in models if (above := around[call.span.span_id]) and above is plan.span]
        own = _text_of(plan.step)
        yield from [own] if own else filter(None, map(_text_of, below))


def _list_guardrails(run: Run) -> tuple[Guardrail, ...] | None:
    """Return the decisions of guardrails in order of time; of very many, first those that denied."""
    found = [step.guardrail for _, step, _ in run.of("guardrail") if step.guardrail is not None]
    if len(found) > _MOST_GUARDRAILS:
        kept = sorted(range(len(found)), key=lambda position: found[position].decision != "deny")[:_MOST_GUARDRAILS]
        found = [found[position] for position in sorted(kept)]
    return tuple(found) or None


def _text_of(step: Step) -> str | None:
    return last_text(step.output or (), "assistant") or step.output_text


def _summarize_model_calls(
    run: Run, models: Sequence[Reading], speakers: Sequence[Reading], prices: PriceTable, *, recorded: Step | None
) -> dict[str, Any]:
    """Return the fields about model calls; `speakers` are the calls of sub-agents where the run made none."""
    calls = build_llm_calls(models, prices)
    steps = [*((run.own,) if run.own else ()), *(reading.step for reading in speakers)]
    spent = sum_usage(calls, recorded)
    prompt = next((step for step in steps if step.prompt_name or step.prompt_version), None)
    return {
        "llm_calls": calls,
        "prompt_name": prompt.prompt_name if prompt else None,
        "prompt_version": prompt.prompt_version if prompt else None,
        "provider_name": next((reading.step.provider_name for reading in speakers if reading.step.provider_name), None),
        "model": next((call.model for call in calls if call.model), None)
        or next((name for step in steps if (name := called_model(step).name)), None),
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cached_input_tokens": spent.cached_input_tokens,
        "cost_usd": cost_of_run(models, calls, recorded, instant(run.top.start_ns), prices),
    }
