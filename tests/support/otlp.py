"""OTLP export requests and their parts, as an exporter would write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import (
    AnyValue,
    ArrayValue,
    InstrumentationScope,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from tracegrade.collector.spans import span as plain

__all__ = [
    "BEGAN_NS",
    "any_value",
    "from_plain",
    "key_values",
    "log",
    "logs_request",
    "run_id",
    "span",
    "span_id",
    "trace_id",
    "traces_request",
]

BEGAN_NS = 1_767_225_600_000_000_000
"""2026-01-01 00:00 UTC, when the spans of a test begin."""

_STATUS = {"unset": Status.STATUS_CODE_UNSET, "ok": Status.STATUS_CODE_OK, "error": Status.STATUS_CODE_ERROR}


def trace_id(number: int) -> str:
    """The trace of that number, in lower-case hex."""
    return f"{number:032x}"


def span_id(number: int) -> str:
    """The span of that number, in lower-case hex."""
    return f"{number:016x}"


def run_id(trace: int = 1, span: int = 1) -> str:
    """The run whose agent span has that number in that trace."""
    return f"{trace_id(trace)}-{span_id(span)}"


def any_value(value: Any) -> AnyValue:  # noqa: PLR0911 - one line a kind
    """Plain Python as an AnyValue; None is a value that was not set."""
    match value:
        case None:
            return AnyValue()
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case Mapping():
            return AnyValue(kvlist_value=KeyValueList(values=key_values(value)))
    return AnyValue(array_value=ArrayValue(values=[any_value(item) for item in value]))


def key_values(values: Mapping[str, Any]) -> list[KeyValue]:
    """Attributes."""
    return [KeyValue(key=key, value=any_value(value)) for key, value in values.items()]


def span(number: int = 1, *, trace: int = 1, attributes: Mapping[str, Any] | None = None, **fields: Any) -> Span:
    """A span that any collector would keep, changed by `fields` of the protobuf message."""
    usual: dict[str, Any] = {
        "trace_id": bytes.fromhex(trace_id(trace)),
        "span_id": bytes.fromhex(span_id(number)),
        "name": f"span {number}",
        "start_time_unix_nano": BEGAN_NS + number * 1_000_000,
        "end_time_unix_nano": BEGAN_NS + number * 1_000_000 + 500_000,
        "attributes": key_values(attributes or {}),
    }
    return Span(**{**usual, **fields})


def log(number: int = 1, *, trace: int = 1, attributes: Mapping[str, Any] | None = None, **fields: Any) -> LogRecord:
    """A log record on span `number`, changed by `fields` of the protobuf message."""
    usual: dict[str, Any] = {
        "trace_id": bytes.fromhex(trace_id(trace)),
        "span_id": bytes.fromhex(span_id(number)),
        "event_name": "gen_ai.user.message",
        "time_unix_nano": BEGAN_NS + number * 1_000_000,
        "attributes": key_values(attributes or {}),
    }
    return LogRecord(**{**usual, **fields})


def traces_request(spans: Iterable[Span], *, resource: Mapping[str, Any] | None = None, scope: str = "tests") -> bytes:
    """The body of an export of `spans`, which share a resource and a scope."""
    in_scope = ScopeSpans(scope=InstrumentationScope(name=scope), spans=spans)
    of = ResourceSpans(resource=_resource(resource), scope_spans=[in_scope])
    return ExportTraceServiceRequest(resource_spans=[of]).SerializeToString()


def logs_request(
    records: Iterable[LogRecord], *, resource: Mapping[str, Any] | None = None, scope: str = "tests"
) -> bytes:
    """The body of an export of log records, which share a resource and a scope."""
    in_scope = ScopeLogs(scope=InstrumentationScope(name=scope), log_records=records)
    of = ResourceLogs(resource=_resource(resource), scope_logs=[in_scope])
    return ExportLogsServiceRequest(resource_logs=[of]).SerializeToString()


def from_plain(one: plain.Span) -> Span:
    """The span as its exporter would send it."""
    remote = {None: 0, False: 0x100, True: 0x300}[one.parent_is_remote]
    return Span(
        trace_id=bytes.fromhex(one.trace_id),
        span_id=bytes.fromhex(one.span_id),
        parent_span_id=bytes.fromhex(one.parent_span_id or ""),
        name=one.name,
        start_time_unix_nano=one.start_ns,
        end_time_unix_nano=one.end_ns,
        status=Status(code=_STATUS[one.status_code], message=one.status_message or ""),
        attributes=key_values(one.attributes),
        events=[_event(event) for event in one.events],
        links=[_link(link) for link in one.links],
        flags=remote,
    )


def _event(event: plain.Event) -> Span.Event:
    return Span.Event(name=event.name or "", time_unix_nano=event.time_ns, attributes=key_values(event.attributes))


def _link(link: Mapping[str, Any]) -> Span.Link:
    return Span.Link(
        trace_id=bytes.fromhex(link["trace_id"]),
        span_id=bytes.fromhex(link["span_id"]),
        attributes=key_values(link.get("attributes", {})),
    )


def _resource(values: Mapping[str, Any] | None) -> Resource:
    return Resource(attributes=key_values({"service.name": "tests"} if values is None else values))
