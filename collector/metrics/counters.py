"""The program's own metrics, for /metrics."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

__all__ = ["render_metrics"]

REGISTRY = CollectorRegistry()

accepted_records = Counter(
    "tracegrade_accepted_records", "Spans and log records committed", ["signal"], registry=REGISTRY
)
repeated_records = Counter(
    "tracegrade_repeated_records", "Records that were kept already", ["signal"], registry=REGISTRY
)
rejected_records = Counter(
    "tracegrade_rejected_records", "Records that could not be kept", ["signal"], registry=REGISTRY
)
own_records = Counter(
    "tracegrade_own_records",
    "Records that this server had sent itself and left out when they came back",
    ["signal"],
    registry=REGISTRY,
)
conflicting_spans = Counter(
    "tracegrade_conflicting_spans", "Spans that came again with other content", registry=REGISTRY
)
refused_requests = Counter(
    "tracegrade_refused_requests", "Export requests answered with an error", ["reason"], registry=REGISTRY
)
refused_answers = Counter(
    "tracegrade_refused_answers",
    "Requests for pages and to the API that were refused, or cut off",
    ["reason"],
    registry=REGISTRY,
)
metric_requests = Counter("tracegrade_metric_requests", "Metric exports accepted and put aside", registry=REGISTRY)
store_reopened = Counter(
    "tracegrade_store_reopened", "Times that the store was opened again after a fatal error", registry=REGISTRY
)
queue_bytes = Gauge("tracegrade_queue_bytes", "Bytes between socket and commit", registry=REGISTRY)
open_traces = Gauge("tracegrade_open_traces", "Traces that wait to be assembled", registry=REGISTRY)
assembled_runs = Counter("tracegrade_assembled_runs", "Revisions of AgentTraces written", registry=REGISTRY)
evaluations = Counter("tracegrade_evaluations", "Evaluations by what came of them", ["status"], registry=REGISTRY)
scores = Counter(
    "tracegrade_scores",
    "Scores written by evaluators",
    ["evaluator", "service", "agent", "passed"],
    registry=REGISTRY,
)
refused_previews = Counter(
    "tracegrade_refused_previews", "Previews of the pages that were refused or stopped", ["reason"], registry=REGISTRY
)
annotated = Counter("tracegrade_annotations", "Scores given through the API", registry=REGISTRY)
backlog = Gauge("tracegrade_backlog", "Targets that are new to the evaluator", ["evaluator"], registry=REGISTRY)
deferred = Gauge(
    "tracegrade_deferred", "Targets that cannot be evaluated yet", ["evaluator", "reason"], registry=REGISTRY
)
assembly_lag = Gauge(
    "tracegrade_assembly_lag_seconds", "How long ago the oldest span ended that is not assembled", registry=REGISTRY
)
evaluator_lag = Gauge(
    "tracegrade_evaluator_lag_seconds",
    "How long ago the oldest run ended that is new to the evaluator or deferred",
    ["evaluator"],
    registry=REGISTRY,
)
evaluator_paused = Gauge(
    "tracegrade_evaluator_paused", "1 while the evaluator is paused", ["evaluator"], registry=REGISTRY
)
exported_events = Counter("tracegrade_exported_events", "Scores sent to export.endpoint", registry=REGISTRY)


def render_metrics() -> bytes:
    """Render all metrics in the Prometheus text format."""
    return generate_latest(REGISTRY)
