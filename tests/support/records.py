"""Spans and log records one by one, each as its exporter sent it, to be sent again in other requests."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from tracegrade.collector.otlp.signal import Signal

__all__ = ["REQUESTS", "Record", "as_json", "body_of", "log_records", "span_records"]

Request: TypeAlias = ExportTraceServiceRequest | ExportLogsServiceRequest

REQUESTS: dict[Signal, type[Request]] = {
    Signal.TRACES: ExportTraceServiceRequest,
    Signal.LOGS: ExportLogsServiceRequest,
}
_IDS = {"traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id"}


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """A span or a log record. `body` is a request with nothing else, in its resource and scope."""

    signal: Signal
    message: Span | LogRecord
    body: bytes

    @property
    def trace_id(self) -> str:
        return self.message.trace_id.hex()

    @property
    def span_id(self) -> str:
        return self.message.span_id.hex()

    @property
    def parent_span_id(self) -> str:
        """Empty where there is none, and for a log record."""
        return self.message.parent_span_id.hex() if isinstance(self.message, Span) else ""


def span_records(body: bytes) -> Iterator[Record]:
    """The spans of an export request, in order."""
    for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                scope = ScopeSpans(scope=of_scope.scope, schema_url=of_scope.schema_url, spans=[span])
                resource = ResourceSpans(
                    resource=of_resource.resource, schema_url=of_resource.schema_url, scope_spans=[scope]
                )
                request = ExportTraceServiceRequest(resource_spans=[resource])
                yield Record(Signal.TRACES, span, request.SerializeToString())


def log_records(body: bytes) -> Iterator[Record]:
    """The log records of an export request, in order."""
    for of_resource in ExportLogsServiceRequest.FromString(body).resource_logs:
        for of_scope in of_resource.scope_logs:
            for record in of_scope.log_records:
                scope = ScopeLogs(scope=of_scope.scope, schema_url=of_scope.schema_url, log_records=[record])
                resource = ResourceLogs(
                    resource=of_resource.resource, schema_url=of_resource.schema_url, scope_logs=[scope]
                )
                request = ExportLogsServiceRequest(resource_logs=[resource])
                yield Record(Signal.LOGS, record, request.SerializeToString())


def body_of(records: Iterable[Record]) -> bytes:
    """The request with these records, which are all spans or all log records: parts of a request add up to one."""
    return b"".join(record.body for record in records)


def as_json(request: Message, *, keep_names: bool = False) -> bytes:
    """Protobuf's own JSON with the one thing that OTLP writes otherwise: ids are hexadecimal."""
    return json.dumps(_with_hexadecimal_ids(MessageToDict(request, preserving_proto_field_name=keep_names))).encode()


def _with_hexadecimal_ids(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_hexadecimal_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item).hex() if key in _IDS else _with_hexadecimal_ids(item) for key, item in value.items()
    }
