"""Sends scores to `export.endpoint`, at least once and in order, from a table that survives restarts.

The conventions define a log event `gen_ai.evaluation.result` under the evaluated span; for a backend without logs, a
span that is linked to the evaluated one carries the event.
Source: https://github.com/open-telemetry/semantic-conventions-genai (model/gen-ai/events.yaml)
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import grpc
import orjson
import requests
from opentelemetry import trace as trace_api
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import (
    InMemoryLogRecordExporter,
    LogRecordExportResult,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tracegrade.queries.catalog import statement

from ..metrics import counters
from ..otlp.evaluation_event import EVALUATION_EVENT
from ..otlp.own_mark import OWN_SCOPE, Mark
from ..otlp.signal import Signal
from ..store.engines.database import Database
from ..store.results.writer import Results
from ..system.log import log
from .otlp_exporters import build_log_exporter, build_span_exporter

__all__ = ["Event", "Outbox", "Sender"]

_BATCH = 200


@dataclass(frozen=True, slots=True)
class Event:
    """A score to be sent. Ids are hex; `time_ns` is the time of the score."""

    position: int
    trace_id: str | None
    span_id: str | None
    time_ns: int
    attributes: Mapping[str, Any]


class Outbox:
    """Sends the rows of the table `outbox`, the oldest first."""

    def __init__(self, database: Database, results: Results, sender: Sender) -> None:
        self._database = database
        self._results = results
        self._sender = sender

    def flush(self) -> bool:
        """Send all rows, batch by batch; False if the backend does not accept them now."""
        while events := self._read_next():
            if not self._sender.send(events):
                return False
            with self._results.transaction() as connection:
                connection.execute(statement("delete_sent_events"), {"position": events[-1].position})
            counters.exported_events.inc(len(events))
        return True

    def close(self) -> None:
        """Cancel the sending; unsent rows stay in the table."""
        self._sender.close()

    def _read_next(self) -> list[Event]:
        with self._database.cursor() as connection:
            rows = connection.execute(statement("next_outbox_events"), {"limit": _BATCH}).fetchall()
        return [
            Event(position, trace_id, span_id, time_ns, orjson.loads(attributes))
            for position, trace_id, span_id, time_ns, attributes in rows
        ]


class Sender:
    """Sends events over OTLP with the OpenTelemetry exporters.

    They read headers, TLS and protocol from the OTEL_EXPORTER_OTLP_* variables; the default is HTTP/protobuf. Each
    record carries the `mark`.
    """

    def __init__(self, endpoint: str, *, spans: Literal["auto"] | bool, version: str, mark: Mark | None = None) -> None:
        self._spans = spans
        self._mark = mark or Mark()
        self._accepts_logs = True
        self._refusals = _Refusals()
        self._endpoint = endpoint
        self._resource = Resource.create({"service.name": OWN_SCOPE, "service.version": version})
        self._log_exporter = build_log_exporter(endpoint, self._refusals.session)
        self._span_exporter = build_span_exporter(endpoint)

    def send(self, events: Sequence[Event]) -> bool:
        """Send the events; return whether the backend accepted all of them."""
        if self._accepts_logs and not self._send_logs(events):
            if self._spans != "auto" or not self._refusals.is_unknown:
                return False
            log.info("the backend takes no log events; scores go out as spans", endpoint=self._endpoint)
            self._accepts_logs = False
        if self._spans is True or not self._accepts_logs:
            return self._span_exporter.export(self._build_spans(events)) is SpanExportResult.SUCCESS
        return True

    def close(self) -> None:
        self._log_exporter.shutdown()  # type: ignore[no-untyped-call]  # untyped in the SDK
        self._span_exporter.shutdown()

    def _send_logs(self, events: Sequence[Event]) -> bool:
        collected = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]  # untyped in the SDK
        provider = LoggerProvider(resource=self._resource, shutdown_on_exit=False)
        provider.add_log_record_processor(SimpleLogRecordProcessor(collected))
        logger = provider.get_logger(OWN_SCOPE)
        for event in events:
            logger.emit(
                timestamp=event.time_ns,
                context=_build_context(event),
                event_name=EVALUATION_EVENT,
                attributes={
                    **event.attributes,
                    **self._mark.attributes(Signal.LOGS, event.trace_id, event.span_id, event.time_ns),
                },
            )
        with self._refusals.listen():
            return self._log_exporter.export(collected.get_finished_logs()) is LogRecordExportResult.SUCCESS

    def _build_spans(self, events: Sequence[Event]) -> Sequence[Any]:
        collected = InMemorySpanExporter()
        provider = TracerProvider(resource=self._resource, shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(collected))
        tracer = provider.get_tracer(OWN_SCOPE)
        for event in events:
            evaluated = _find_evaluated_span(event)
            span = tracer.start_span(
                f"evaluate {event.attributes.get('gen_ai.evaluation.name', '')}".strip(),
                context=trace_api.set_span_in_context(trace_api.INVALID_SPAN),
                links=[trace_api.Link(evaluated)] if evaluated else [],
                start_time=event.time_ns,
            )
            of_span = span.get_span_context()
            ids = trace_api.format_trace_id(of_span.trace_id), trace_api.format_span_id(of_span.span_id)
            span.set_attributes(self._mark.attributes(Signal.TRACES, *ids, event.time_ns))
            span.add_event(EVALUATION_EVENT, attributes=dict(event.attributes), timestamp=event.time_ns)
            span.end(end_time=event.time_ns)
        return collected.get_finished_spans()


class _Refusals(logging.Handler):
    """Notices that a backend does not know the logs signal: 404 over HTTP, UNIMPLEMENTED over gRPC.

    The exporters only report that an export failed. Over HTTP the session that they use shows the status; the gRPC
    exporter shows its code only in its log.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.is_unknown = False
        self.session = requests.Session()
        self.session.hooks["response"].append(self._read_status)
        self._logger = logging.getLogger("opentelemetry.exporter.otlp.proto.grpc.exporter")

    def emit(self, record: logging.LogRecord) -> None:
        self.is_unknown = grpc.StatusCode.UNIMPLEMENTED in (record.args or ())

    def listen(self) -> _Listening:
        return _Listening(self._logger, self)

    def _read_status(self, response: requests.Response, **_: object) -> None:
        self.is_unknown = response.status_code in {404, 405, 501}


class _Listening:
    def __init__(self, logger: logging.Logger, handler: logging.Handler) -> None:
        self._logger = logger
        self._handler = handler

    def __enter__(self) -> None:
        self._logger.addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self._handler)


def _build_context(event: Event) -> Any:
    evaluated = _find_evaluated_span(event)
    return trace_api.set_span_in_context(trace_api.NonRecordingSpan(evaluated)) if evaluated else None


def _find_evaluated_span(event: Event) -> trace_api.SpanContext | None:
    if event.trace_id is None or event.span_id is None:
        return None
    return trace_api.SpanContext(
        trace_id=int(event.trace_id, 16),
        span_id=int(event.span_id, 16),
        is_remote=True,
        trace_flags=trace_api.TraceFlags(trace_api.TraceFlags.SAMPLED),
    )
