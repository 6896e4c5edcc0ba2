"""External scores as senders export them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.spans.span import Event, Span

from . import agent_spans, otlp
from .store import Store

__all__ = [
    "EVENT",
    "RUN",
    "add_events",
    "arrive_records",
    "arrive_under_scope",
    "make_attributes",
    "make_evaluator_span",
    "make_event",
    "make_record",
]

EVENT = "gen_ai.evaluation.result"
RUN = otlp.run_id(1)
"""The run of the first trip."""

SENDER: Mapping[str, Any] = {"service.name": "grader"}
_SECOND_NS = 1_000_000_000


def make_attributes(name: str = "polite", **more: Any) -> dict[str, Any]:
    """The attributes of an event with a score: `value`, `label`, `explanation`; others by their own key."""
    standard = {
        "value": "gen_ai.evaluation.score.value",
        "label": "gen_ai.evaluation.score.label",
        "explanation": "gen_ai.evaluation.explanation",
        "error": "error.type",
        "response_id": "gen_ai.response.id",
    }
    return {"gen_ai.evaluation.name": name, **{standard.get(key, key): value for key, value in more.items()}}


def make_event(name: str = "polite", *, at_s: float = 20.0, **more: Any) -> Event:
    """An event with a score, on a span."""
    return Event(EVENT, _instant(at_s), make_attributes(name, **more))


def make_record(
    span: int | None = 1, *, trace: int = 1, name: str = "polite", at_s: float = 20.0, **more: Any
) -> LogRecord:
    """A log record with a score that names a span, or only its trace."""
    fields: dict[str, Any] = {"event_name": EVENT, "time_unix_nano": _instant(at_s)}
    if span is None:
        fields["span_id"] = b""
    return otlp.log(span or 1, trace=trace, attributes=make_attributes(name, **more), **fields)


def make_evaluator_span(
    number: int, *, trace: int, target: tuple[int, int], attributes: Mapping[str, Any] | None = None, **more: Any
) -> Span:
    """A span of another evaluator that links to the span it is about: (trace, span)."""
    link = {"trace_id": otlp.trace_id(target[0]), "span_id": otlp.span_id(target[1])}
    kind = {"openinference.span.kind": "EVALUATOR"}
    return agent_spans.span(number, trace=trace, attributes={**kind, **(attributes or {})}, links=(link,), **more)


def arrive_records(
    store: Store, *records: LogRecord, resource: Mapping[str, Any] = SENDER, scope: str = "graders"
) -> None:
    """Commits log records of a grader."""
    store.arrive(logs=otlp.logs_request(records, resource=resource, scope=scope))


def arrive_under_scope(store: Store, spans: Iterable[Span], *, scope: str = "tests") -> None:
    """Commits spans under an instrumentation scope of this name."""
    body = otlp.traces_request(map(otlp.from_plain, spans), resource=SENDER, scope=scope)
    store.arrivals.write(decode_spans(body).rows, [])


def add_events(spans: Iterable[Span], events: Mapping[int, Any]) -> list[Span]:
    """The spans, where those with these numbers have an event."""
    by_id = {otlp.span_id(number): one for number, one in events.items()}
    return [
        Span(**{**vars(span), "events": (by_id[span.span_id],)}) if span.span_id in by_id else span for span in spans
    ]


def _instant(at_s: float) -> int:
    return otlp.BEGAN_NS + round(at_s * _SECOND_NS)
