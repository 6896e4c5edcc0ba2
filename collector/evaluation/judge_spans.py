"""Exports judge calls as OpenTelemetry spans, so that other tools show their cost. These spans are never evaluated."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from opentelemetry import trace as trace_api
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.util.types import AttributeValue

from tracegrade.evaluators.ports import JudgeCall, Spent

from ..export.otlp_exporters import build_span_exporter
from ..otlp.own_mark import OWN_SCOPE, Mark
from ..otlp.signal import Signal
from ..worker.client import JudgeCalls

__all__ = ["TracedJudgeCalls"]

_LAST_S: Final = 2.0


class TracedJudgeCalls:
    """A JudgeCalls that also exports each call as a span, without prompt and answer, linked to the evaluated run.

    The `mark` identifies the spans as our own when they come back. A thread of the OpenTelemetry SDK sends them, and
    drops them if the endpoint is not reachable.
    """

    def __init__(self, calls: JudgeCalls, endpoint: str, mark: Mark | None = None) -> None:
        self._calls = calls
        self._mark = mark or Mark()
        self._provider = TracerProvider(resource=Resource.create({"service.name": OWN_SCOPE}), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(build_span_exporter(endpoint)))
        self._tracer = self._provider.get_tracer(OWN_SCOPE)

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        """Look up calls in `calls`."""
        return self._calls.lookup(request_hashes)

    def record(self, calls: Sequence[JudgeCall]) -> None:
        """Record the calls in `calls`, and export each that was made (not answered from the cache) and has ended."""
        self._calls.record(calls)
        for call in calls:
            if not call.from_cache and call.status != "pending":
                self._send(call)

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        """Return the cost recorded in `calls`."""
        return self._calls.spent(judge, since)

    def close(self) -> None:
        """Send the remaining spans, for at most two seconds."""
        last = threading.Thread(target=self._end, daemon=True)  # the SDK waits for the endpoint without limit
        last.start()
        last.join(_LAST_S)

    def _end(self) -> None:
        self._provider.force_flush()
        self._provider.shutdown()

    def _send(self, call: JudgeCall) -> None:
        started_ns = int(call.started_at.replace(tzinfo=UTC).timestamp() * 1e9)
        evaluated = _agent_span(call.target_id)
        span = self._tracer.start_span(
            f"chat {call.model}",
            context=trace_api.set_span_in_context(trace_api.INVALID_SPAN),
            kind=trace_api.SpanKind.CLIENT,
            links=[trace_api.Link(evaluated)] if evaluated else [],
            attributes={key: value for key, value in _attributes(call) if value is not None},
            start_time=started_ns,
        )
        of_span = span.get_span_context()
        ids = trace_api.format_trace_id(of_span.trace_id), trace_api.format_span_id(of_span.span_id)
        span.set_attributes(self._mark.attributes(Signal.TRACES, *ids, started_ns))
        if call.status != "ok":
            span.set_status(trace_api.StatusCode.ERROR)
        span.end(end_time=started_ns + int((call.duration_ms or 0) * 1e6))


def _attributes(call: JudgeCall) -> Sequence[tuple[str, AttributeValue | None]]:
    return (
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.request.model", call.model),
        ("gen_ai.usage.input_tokens", call.input_tokens),
        ("gen_ai.usage.output_tokens", call.output_tokens),
        ("tracegrade.judge", call.judge),
        ("tracegrade.evaluator", call.evaluator),
        ("tracegrade.target_id", call.target_id),
        ("tracegrade.cost_usd", call.cost_usd),
        ("error.type", None if call.status == "ok" else call.status),
    )


def _agent_span(target_id: str) -> trace_api.SpanContext | None:
    """Return the context of the evaluated run's agent span; None if the target is not part of a run."""
    trace_id, _, span_id = target_id.partition("#")[0].partition("-")
    try:
        return trace_api.SpanContext(
            trace_id=int(trace_id, 16),
            span_id=int(span_id, 16),
            is_remote=True,
            trace_flags=trace_api.TraceFlags(trace_api.TraceFlags.SAMPLED),
        )
    except ValueError:
        return None
