"""The spans of one run: that of its agent, and those of its model calls and tool calls below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tracegrade.evaluators.model import AgentTrace

from .agent_span import build_agent_span, build_guardrail_spans
from .layout import arrange
from .model_spans import build_model_spans
from .run_ids import RunId, SpanIds
from .times import Moment, Period, arrange_starts, find_start, to_ns
from .tool_spans import build_tool_span

__all__ = ["Place", "WrittenRun", "write_run"]


@dataclass(frozen=True, slots=True)
class Place:
    """The span below which a run is written, and whether that is one that is not written.

    A run without times is at `fallback_ns`. An unknown end is `margin_ns` later than the last known time, and an
    unknown start as much before the end, so that all that happened in the run lies between them.
    """

    parent: str | None
    is_remote: bool
    fallback_ns: int
    margin_ns: int


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """The spans of a run. `starts` has the start of each tool call, `tools` the spans of those that have one."""

    agent: Span
    models: Sequence[Span]
    guardrails: Sequence[Span]
    tools: Mapping[int, Span]
    starts: Sequence[int]


def write_run(
    run: AgentTrace, run_id: RunId, *, place: Place, span_ids: SpanIds, began: Mapping[str, datetime | None]
) -> WrittenRun:
    """Return the spans of a run at its place; `began` has the starts of runs by their ids, as far as known."""
    layout = arrange(run)
    start_ns = find_start(run, fallback_ns=place.fallback_ns, margin_ns=place.margin_ns)
    starts = arrange_starts(_list_moments(run, began), after_ns=start_ns)
    tools = {
        position: build_tool_span(
            call,
            RunId(run_id.trace_id, span_ids.take(call.span_id, run_id, "tool", position)),
            period=Period.of_call(starts[position], call.duration_ms),
            parent=run_id.span_id,
        )
        for position, call in enumerate(run.tool_calls)
        if position in layout.executed
    }
    last_ns = max([start_ns, *starts, *(span.end_time_unix_nano for span in tools.values())])
    model_starts = arrange_starts(_list_model_moments(run, last_ns), after_ns=start_ns)
    models = build_model_spans(run, run_id, starts=model_starts, layout=layout, span_ids=span_ids)
    ends = [last_ns, *(span.end_time_unix_nano for span in models), *(to_ns(each.time) or 0 for each in run.messages)]
    agent = build_agent_span(
        run,
        run_id,
        period=Period.of_run(run, start_ns, last_ns=max(ends) + place.margin_ns),
        layout=layout,
        parent=place.parent,
        is_remote=place.is_remote,
    )
    guardrails = build_guardrail_spans(run, run_id, start_ns=start_ns, span_ids=span_ids)
    return WrittenRun(agent, models, guardrails, tools, starts)


def _list_moments(run: AgentTrace, began: Mapping[str, datetime | None]) -> Iterator[Moment]:
    """Yield the starts of the tool calls. The calls of a sub-agent follow its start, others their request."""
    requested = {part.id: message.time for message in reversed(run.messages) for part in message.tool_calls}
    for call in run.tool_calls:
        if call.child_agent_trace_id is not None:
            yield Moment(None, to_ns(began.get(call.child_agent_trace_id) or call.started_at) or 0)
        else:
            yield Moment(call.started_at, to_ns(None if call.id is None else requested.get(call.id)) or 0)


def _list_model_moments(run: AgentTrace, last_ns: int) -> Iterator[Moment]:
    """Yield the starts of the model calls.

    The last ones follow all tool calls, unless it is known when they began: that the model was asked again shows that
    the run survived the failure of a tool.
    """
    known = [position for position, call in enumerate(run.llm_calls) if call.started_at is not None]
    for position, call in enumerate(run.llm_calls):
        yield Moment(call.started_at, last_ns if position > max(known, default=-1) else 0)
