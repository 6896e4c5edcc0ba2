"""From an export request to rows: what the tables `spans` and `logs` will hold.

A record that cannot be kept is refused with a reason for its sender; its neighbours are kept. A record that is odd but
can be kept names its oddities under the attribute `tracegrade.gaps`.
Source: https://github.com/open-telemetry/opentelemetry-proto (trace/v1, logs/v1)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from .errors import Malformed
from .values import GAPS, any_value, as_text, attributes
from .wire import BrokenWire, fields

__all__ = ["LOG_COLUMNS", "SPAN_COLUMNS", "Decoded", "Row", "decode_logs", "decode_spans"]


Row: TypeAlias = tuple[Any, ...]
_Fields: TypeAlias = Sequence[tuple[int, memoryview]]

_INT64_MAX = 2**63 - 1
_MAX_ATTRIBUTES = 16_384
_KINDS = (None, "internal", "server", "client", "producer", "consumer")
_STATUS = ("unset", "ok", "error")
_IS_REMOTE_KNOWN, _IS_REMOTE = 0x100, 0x200
_UNREADABLE = "is not valid protobuf (invalid UTF-8, or values nested too deep)"

_PROMOTED_TEXT: Mapping[str, tuple[str, ...]] = {
    "operation_name": ("gen_ai.operation.name",),
    "provider_name": ("gen_ai.provider.name", "gen_ai.system", "llm.provider"),
    "request_model": ("gen_ai.request.model", "llm.request.model_name", "llm.model_name"),
    "response_model": ("gen_ai.response.model", "llm.response.model_name"),
    "response_id": ("gen_ai.response.id",),
    "agent_name": ("gen_ai.agent.name", "agent.name"),
    "agent_id": ("gen_ai.agent.id",),
    "session_id": ("langfuse.session.id", "session.id", "gen_ai.conversation.id"),
    "tool_name": ("gen_ai.tool.name", "tool.name"),
    "tool_call_id": ("gen_ai.tool.call.id", "tool.id", "tool_call.id"),
}
_PROMOTED_COUNTS: Mapping[str, tuple[str, ...]] = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"),
}

_EVENT_NAMES = ("otel.event.name", "event.name")
"""Where the event's name is written by what knows no field for it; the second is the older convention.
Source: https://opentelemetry.io/docs/specs/semconv/registry/attributes/otel/"""

SPAN_COLUMNS = (
    "trace_id",
    "span_id",
    "parent_span_id",
    "parent_is_remote",
    "name",
    "kind",
    "start_ns",
    "end_ns",
    "duration_ms",
    "status_code",
    "status_message",
    "service_name",
    "service_version",
    "deployment_environment",
    "scope_name",
    "scope_version",
    *_PROMOTED_TEXT,
    *_PROMOTED_COUNTS,
    "error_type",
    "attributes",
    "events",
    "links",
    "resource",
)
LOG_COLUMNS = (
    "trace_id",
    "span_id",
    "event_name",
    "time_ns",
    "severity",
    "service_name",
    "scope_name",
    "body",
    "attributes",
    "resource",
)


@dataclass(slots=True)
class Decoded:
    """The rows of one export request, and how many records were refused, by reason."""

    rows: list[Row] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Origin:
    """What the records of one resource and scope have in common, computed once."""

    service_name: str | None
    service_version: str | None
    environment: str | None
    resource: str
    scope_name: str | None = None
    scope_version: str | None = None


def decode_spans(body: bytes) -> Decoded:
    """The rows of an ExportTraceServiceRequest, in the order of SPAN_COLUMNS. Raises Malformed."""
    return _decode(body, ExportTraceServiceRequest, Span, _span_row)


def decode_logs(body: bytes) -> Decoded:
    """The rows of an ExportLogsServiceRequest, in the order of LOG_COLUMNS. Raises Malformed."""
    return _decode(body, ExportLogsServiceRequest, LogRecord, _log_row)


class _Refused(ValueError):
    """This record cannot be kept; the message is for its sender."""


def _decode(body: bytes, request: type[Message], record: type[Message], row: Callable[[Any, _Origin], Row]) -> Decoded:
    decoded = Decoded()
    try:
        records = _records(request.FromString(body))
    except DecodeError as error:
        records = _salvaged(body, record, decoded.refused, error)
    for one, origin in records:
        try:
            decoded.rows.append(row(one, origin))
        except _Refused as refused:
            decoded.refused[str(refused)] += 1
    return decoded


def _records(request: Any) -> Iterator[tuple[Any, _Origin]]:
    """Each record of a parsed request with its origin. Traces and logs have the same three levels."""
    is_traces = isinstance(request, ExportTraceServiceRequest)
    for of_resource in request.resource_spans if is_traces else request.resource_logs:
        base = _origin(of_resource.resource)
        for of_scope in of_resource.scope_spans if is_traces else of_resource.scope_logs:
            origin = _scoped(base, of_scope.scope)
            for record in of_scope.spans if is_traces else of_scope.log_records:
                yield record, origin


def _salvaged(
    body: bytes, record: type[Message], refused: Counter[str], cause: DecodeError
) -> Iterator[tuple[Any, _Origin]]:
    """The records of a request that does not parse as a whole, each parsed alone."""
    try:
        parts = list(_split(body))
    except (BrokenWire, DecodeError) as error:
        raise Malformed(f"the body is not an OTLP export request in protobuf: {cause}") from error
    for part, origin in parts:
        if origin is None:
            refused[f"its resource or scope {_UNREADABLE}"] += 1
            continue
        try:
            yield record.FromString(bytes(part)), origin
        except DecodeError:
            refused[f"it {_UNREADABLE}"] += 1


def _split(body: bytes) -> Iterator[tuple[memoryview, _Origin | None]]:
    """The raw records of a request, with None for an origin that cannot be read.

    Level by level, field 1 is the common part and field 2 what it is common to.
    """
    for number, of_resource in fields(body):
        if number != 1:
            continue
        parts = list(fields(of_resource))
        for of_scope in (part for number, part in parts if number == 2):
            inner = list(fields(of_scope))
            origin = _origin_in(parts, inner)
            yield from ((part, origin) for number, part in inner if number == 2)


def _origin_in(of_resource: _Fields, of_scope: _Fields) -> _Origin | None:
    try:
        return _scoped(_origin(_first(of_resource, Resource)), _first(of_scope, InstrumentationScope))
    except DecodeError:
        return None


def _first(parts: _Fields, type_: type[Message]) -> Any:
    return type_.FromString(b"".join(bytes(part) for number, part in parts if number == 1))


def _origin(resource: Resource) -> _Origin:
    values = attributes(resource.attributes)
    return _Origin(
        service_name=_text(values.get("service.name")),
        service_version=_text(values.get("service.version")),
        environment=_text(values.get("deployment.environment.name") or values.get("deployment.environment")),
        resource=_json(values),
    )


def _scoped(base: _Origin, scope: InstrumentationScope) -> _Origin:
    return _Origin(
        service_name=base.service_name,
        service_version=base.service_version,
        environment=base.environment,
        resource=base.resource,
        scope_name=scope.name or None,
        scope_version=scope.version or None,
    )


def _span_row(span: Span, origin: _Origin) -> Row:
    trace_id = _id(span.trace_id, 16, "trace id")
    span_id = _id(span.span_id, 8, "span id")
    gaps: list[str] = []
    parent_span_id = _parent(span.parent_span_id, gaps)
    start_ns = _instant(span.start_time_unix_nano, gaps)
    end_ns = _instant(span.end_time_unix_nano, gaps)
    duration_ms = _duration_ms(span, gaps)
    values = _bounded(span.attributes, gaps)
    if span.dropped_attributes_count or span.dropped_events_count:
        gaps.append("dropped_by_exporter")
    if gaps:
        values[GAPS] = list(dict.fromkeys(gaps))
    return (
        trace_id,
        span_id,
        parent_span_id,
        bool(span.flags & _IS_REMOTE) if span.flags & _IS_REMOTE_KNOWN else None,
        span.name,
        _KINDS[span.kind] if 0 <= span.kind < len(_KINDS) else None,
        start_ns,
        end_ns,
        duration_ms,
        _STATUS[span.status.code] if 0 <= span.status.code < len(_STATUS) else "unset",
        span.status.message or None,
        origin.service_name,
        origin.service_version,
        origin.environment,
        origin.scope_name,
        origin.scope_version,
        *[_first_text(values, keys) for keys in _PROMOTED_TEXT.values()],
        *[_first_count(values, keys) for keys in _PROMOTED_COUNTS.values()],
        _text(values.get("error.type")),
        _json(values),
        _events(span) if span.events else "[]",
        _links(span) if span.links else "[]",
        origin.resource,
    )


def _log_row(record: LogRecord, origin: _Origin) -> Row:
    gaps: list[str] = []
    time_ns = _instant(record.time_unix_nano or record.observed_time_unix_nano, gaps)
    values = _bounded(record.attributes, gaps)
    if gaps:
        values[GAPS] = list(dict.fromkeys(gaps))
    body = any_value(record.body)
    return (
        record.trace_id.hex() if len(record.trace_id) == 16 and any(record.trace_id) else None,
        record.span_id.hex() if len(record.span_id) == 8 and any(record.span_id) else None,
        record.event_name or _first_text(values, _EVENT_NAMES),
        time_ns,
        record.severity_text or None,
        origin.service_name,
        origin.scope_name,
        None if body is None else _json(body),
        _json(values),
        origin.resource,
    )


def _id(raw: bytes, length: int, what: str) -> str:
    if len(raw) != length:
        raise _Refused(f"its {what} is {'empty' if not raw else f'{len(raw)} bytes long'} instead of {length} bytes")
    if not any(raw):
        raise _Refused(f"its {what} is all zero")
    return raw.hex()


def _parent(raw: bytes, gaps: list[str]) -> str | None:
    if not raw or not any(raw):
        return None
    if len(raw) != 8:
        gaps.append("invalid_parent_id")
        return None
    return raw.hex()


def _instant(nanoseconds: int, gaps: list[str]) -> int:
    """Nanoseconds since 1970 as BIGINT holds them, which ends in the year 2262."""
    if _is_known(nanoseconds):
        return nanoseconds
    gaps.append("time_not_recorded" if nanoseconds == 0 else "time_out_of_range")
    return min(nanoseconds, _INT64_MAX)


def _is_known(nanoseconds: int) -> bool:
    return 0 < nanoseconds <= _INT64_MAX


def _duration_ms(span: Span, gaps: list[str]) -> float | None:
    """None when one of its times is not known, or when it ended before it began."""
    start_ns, end_ns = span.start_time_unix_nano, span.end_time_unix_nano
    if not (_is_known(start_ns) and _is_known(end_ns)):
        return None
    if end_ns < start_ns:
        gaps.append("end_before_start")
        return None
    return (end_ns - start_ns) / 1e6


def _bounded(pairs: Sequence[KeyValue], gaps: list[str]) -> dict[str, Any]:
    """A record's attributes; those beyond any sane number are left out, and said to be."""
    if len(pairs) > _MAX_ATTRIBUTES:
        gaps.append("too_many_attributes")
        pairs = pairs[:_MAX_ATTRIBUTES]
    return attributes(pairs)


def _events(span: Span) -> str:
    return _json(
        [
            {"name": event.name, "time_ns": event.time_unix_nano, "attributes": attributes(event.attributes)}
            for event in span.events
        ]
    )


def _links(span: Span) -> str:
    return _json(
        [
            {"trace_id": link.trace_id.hex(), "span_id": link.span_id.hex(), "attributes": attributes(link.attributes)}
            for link in span.links
        ]
    )


def _first_text(values: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        if (value := values.get(key)) is not None:
            return _text(value)
    return None


def _first_count(values: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        if (value := values.get(key)) is not None:
            return _count(value)
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else as_text(value)


def _count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer() and abs(value) < _INT64_MAX:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
