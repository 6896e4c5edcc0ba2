"""Replays recorded spans as if they happened now, with new ids and the present time, by an OpenTelemetry exporter."""

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

__all__ = ["read_recordings", "replay"]

_KINDS = {
    trace_pb2.Span.SPAN_KIND_SERVER: SpanKind.SERVER,
    trace_pb2.Span.SPAN_KIND_CLIENT: SpanKind.CLIENT,
    trace_pb2.Span.SPAN_KIND_PRODUCER: SpanKind.PRODUCER,
    trace_pb2.Span.SPAN_KIND_CONSUMER: SpanKind.CONSUMER,
}
_STATUS = {trace_pb2.Status.STATUS_CODE_OK: StatusCode.OK, trace_pb2.Status.STATUS_CODE_ERROR: StatusCode.ERROR}


def read_recordings() -> list[tuple[str, bytes]]:
    """Read the recordings in the package: (name, ExportTraceServiceRequest)."""
    folder: Traversable = files(__package__).joinpath("recordings")
    recordings = sorted((file for file in folder.iterdir() if file.name.endswith(".pb")), key=lambda file: file.name)
    return [(file.name.removesuffix(".pb"), file.read_bytes()) for file in recordings]


def replay(recording: bytes, exporter: OTLPSpanExporter) -> set[str]:
    """Send one recording; return the new trace ids in hex. Raises Unavailable."""
    request = ExportTraceServiceRequest.FromString(recording)
    spans = list(_build_spans(request, _Shift(request)))
    if exporter.export(spans) is not SpanExportResult.SUCCESS:
        raise Unavailable("the server did not accept the spans")
    return {f"{span.context.trace_id:032x}" for span in spans}


class _Shift:
    """Replaces ids by new ones, and times so that the recording has just ended."""

    def __init__(self, request: ExportTraceServiceRequest) -> None:
        of_scopes = (of_scope for of_resource in request.resource_spans for of_scope in of_resource.scope_spans)
        ends_ns = [span.end_time_unix_nano for of_scope in of_scopes for span in of_scope.spans]
        self._by_ns = time.time_ns() - max(ends_ns)
        self._ids: dict[bytes, int] = {}

    def build_context(self, trace_id: bytes, span_id: bytes) -> SpanContext:
        return SpanContext(
            self._replace_id(trace_id), self._replace_id(span_id), is_remote=False, trace_flags=TraceFlags(1)
        )

    def move_ns(self, recorded_ns: int) -> int:
        return recorded_ns + self._by_ns

    def _replace_id(self, recorded: bytes) -> int:
        return self._ids.setdefault(recorded, int.from_bytes(secrets.token_bytes(len(recorded)), "big"))


def _build_spans(request: ExportTraceServiceRequest, shift: _Shift) -> Iterator[ReadableSpan]:
    for of_resource in request.resource_spans:
        resource = Resource(_read_attributes(of_resource.resource.attributes))
        for of_scope in of_resource.scope_spans:
            scope = InstrumentationScope(of_scope.scope.name, of_scope.scope.version)
            yield from (_build_span(span, shift, resource, scope) for span in of_scope.spans)


def _build_span(span: trace_pb2.Span, shift: _Shift, resource: Resource, scope: InstrumentationScope) -> ReadableSpan:
    return ReadableSpan(
        name=span.name,
        context=shift.build_context(span.trace_id, span.span_id),
        parent=shift.build_context(span.trace_id, span.parent_span_id) if span.parent_span_id else None,
        resource=resource,
        attributes=_read_attributes(span.attributes),
        events=[
            Event(event.name, _read_attributes(event.attributes), shift.move_ns(event.time_unix_nano))
            for event in span.events
        ],
        kind=_KINDS.get(span.kind, SpanKind.INTERNAL),
        status=Status(_STATUS.get(span.status.code, StatusCode.UNSET), span.status.message or None),
        start_time=shift.move_ns(span.start_time_unix_nano),
        end_time=shift.move_ns(span.end_time_unix_nano),
        instrumentation_scope=scope,
    )


def _read_attributes(pairs: Sequence[Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes(pairs).items() if value is not None}
