"""Recorded spans, sent again as if they happened now: fresh ids, present time, a real OpenTelemetry exporter."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1 import trace_pb2
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from ..errors import Unavailable
from ..spans.values import attributes

__all__ = ["recordings", "replay"]

_KINDS = {
    trace_pb2.Span.SPAN_KIND_SERVER: SpanKind.SERVER,
    trace_pb2.Span.SPAN_KIND_CLIENT: SpanKind.CLIENT,
    trace_pb2.Span.SPAN_KIND_PRODUCER: SpanKind.PRODUCER,
    trace_pb2.Span.SPAN_KIND_CONSUMER: SpanKind.CONSUMER,
}
_STATUS = {trace_pb2.Status.STATUS_CODE_OK: StatusCode.OK, trace_pb2.Status.STATUS_CODE_ERROR: StatusCode.ERROR}


def recordings() -> list[tuple[str, bytes]]:
    """The recordings that come with the program: (name, ExportTraceServiceRequest)."""
    folder: Traversable = files(__package__).joinpath("recordings")
    found = sorted((file for file in folder.iterdir() if file.name.endswith(".pb")), key=lambda file: file.name)
    return [(file.name.removesuffix(".pb"), file.read_bytes()) for file in found]


def replay(recording: bytes, exporter: OTLPSpanExporter) -> set[str]:
    """Sends one recording and gives the trace ids it was sent under, in hex. Raises Unavailable."""
    request = ExportTraceServiceRequest.FromString(recording)
    spans = list(_spans(request, _Moved(request)))
    if exporter.export(spans) is not SpanExportResult.SUCCESS:
        raise Unavailable("the server did not take the spans")
    return {f"{span.context.trace_id:032x}" for span in spans}


class _Moved:
    """New ids for old ones, and a clock on which the recording has just ended."""

    def __init__(self, request: ExportTraceServiceRequest) -> None:
        ends = [span.end_time_unix_nano for one in request.resource_spans for s in one.scope_spans for span in s.spans]
        self._by_ns = time.time_ns() - max(ends)
        self._ids: dict[bytes, int] = {}

    def context(self, trace_id: bytes, span_id: bytes) -> SpanContext:
        return SpanContext(self._id(trace_id), self._id(span_id), is_remote=False, trace_flags=TraceFlags(1))

    def time_ns(self, recorded_ns: int) -> int:
        return recorded_ns + self._by_ns

    def _id(self, recorded: bytes) -> int:
        return self._ids.setdefault(recorded, int.from_bytes(secrets.token_bytes(len(recorded)), "big"))


def _spans(request: ExportTraceServiceRequest, moved: _Moved) -> Iterator[ReadableSpan]:
    for of_resource in request.resource_spans:
        resource = Resource(_plain(of_resource.resource.attributes))
        for of_scope in of_resource.scope_spans:
            scope = InstrumentationScope(of_scope.scope.name, of_scope.scope.version)
            yield from (_span(span, moved, resource, scope) for span in of_scope.spans)


def _span(span: trace_pb2.Span, moved: _Moved, resource: Resource, scope: InstrumentationScope) -> ReadableSpan:
    return ReadableSpan(
        name=span.name,
        context=moved.context(span.trace_id, span.span_id),
        parent=moved.context(span.trace_id, span.parent_span_id) if span.parent_span_id else None,
        resource=resource,
        attributes=_plain(span.attributes),
        events=[
            Event(event.name, _plain(event.attributes), moved.time_ns(event.time_unix_nano)) for event in span.events
        ],
        kind=_KINDS.get(span.kind, SpanKind.INTERNAL),
        status=Status(_STATUS.get(span.status.code, StatusCode.UNSET), span.status.message or None),
        start_time=moved.time_ns(span.start_time_unix_nano),
        end_time=moved.time_ns(span.end_time_unix_nano),
        instrumentation_scope=scope,
    )


def _plain(pairs: Sequence[Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes(pairs).items() if value is not None}
