"""Decodes an export request into rows of the tables `spans` and `logs`.

A record that cannot be stored is refused with a reason for its sender; the others are stored. A record that is
irregular but can be stored lists the irregularities in the attribute `tracegrade.gaps`. Each row repeats the resource
and the scope of its record, so the size of the rows is checked while they are built. Source:
https://github.com/open-telemetry/opentelemetry-proto (trace/v1, logs/v1)
"""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import orjson
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ..spans.values import GAPS, NO_DURATION, any_value, as_text, attributes
from .evaluation_event import EVALUATION_EVENT
from .export_request import LOGS, TRACES, Layout, Origin, records
from .limits import RequestLimits
from .signal import Signal

__all__ = ["LOG_COLUMNS", "SPAN_COLUMNS", "Decoded", "Row", "decode_in_parts", "decode_logs", "decode_spans"]

Row: TypeAlias = tuple[Any, ...]
_T = TypeVar("_T")

_INT64_MAX = 2**63 - 1
_MOST_OF_RECORD = 16_384
"""The most attributes, events or links that are stored of a record."""
_USUAL = RequestLimits()
_PART_RECORDS = 1_000
_KINDS = (None, "internal", "server", "client", "producer", "consumer")
_STATUS = ("unset", "ok", "error")
_IS_REMOTE_KNOWN, _IS_REMOTE = 0x100, 0x200

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
"""The attributes for an event's name, written by senders without a field for it; the second is the older convention.

Source: https://opentelemetry.io/docs/specs/semconv/registry/attributes/otel/
"""

_RESPONSE_ID = "gen_ai.response.id"

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
_ATTRIBUTES, _EVENTS, _LINKS = map(SPAN_COLUMNS.index, ("attributes", "events", "links"))
_BODY, _LOG_ATTRIBUTES = map(LOG_COLUMNS.index, ("body", "attributes"))


@dataclass(slots=True)
class Decoded:
    """The rows of one export request, their size, and the number of records that were refused, by reason."""

    rows: list[Row] = field(default_factory=list)
    size_bytes: int = 0
    refused: Counter[str] = field(default_factory=Counter)


def decode_spans(body: bytes, limits: RequestLimits = _USUAL) -> Decoded:
    """Decode an ExportTraceServiceRequest into rows in the order of SPAN_COLUMNS. Raises Malformed and TooLarge."""
    return _last(_decode(body, TRACES, limits, row=_make_span_row, size=_measure_span))


def decode_logs(body: bytes, limits: RequestLimits = _USUAL) -> Decoded:
    """Decode an ExportLogsServiceRequest into rows in the order of LOG_COLUMNS. Raises Malformed and TooLarge."""
    return _last(_decode(body, LOGS, limits, row=_make_log_row, size=_measure_log))


def decode_in_parts(signal: Signal, body: bytes, limits: RequestLimits = _USUAL) -> Iterator[Decoded]:
    """Decode as the others do; yield what is decoded, which grows, from time to time and at the end."""
    if signal is Signal.TRACES:
        return _decode(body, TRACES, limits, row=_make_span_row, size=_measure_span)
    return _decode(body, LOGS, limits, row=_make_log_row, size=_measure_log)


class _Refused(ValueError):
    """The record cannot be stored; the message is for its sender."""


def _decode(
    body: bytes,
    layout: Layout,
    limits: RequestLimits,
    *,
    row: Callable[[Any, Origin], Row],
    size: Callable[[Row], int],
) -> Iterator[Decoded]:
    decoded, most_bytes = Decoded(), limits.row_bytes
    for group, origin in records(body, layout, limits, decoded.refused):
        origin_bytes = origin.size_bytes
        for record in group:
            try:
                decoded_row = row(record, origin)
            except _Refused as refused:
                decoded.refused[str(refused)] += 1
                continue
            decoded.rows.append(decoded_row)
            decoded.size_bytes += origin_bytes + size(decoded_row)
            if decoded.size_bytes > most_bytes:
                limits.check_rows(decoded.size_bytes)
            if not len(decoded.rows) % _PART_RECORDS:
                yield decoded
    yield decoded


def _last(parts: Iterator[Decoded]) -> Decoded:
    """Return what is decoded at the end."""
    (decoded,) = deque(parts, maxlen=1)
    return decoded


def _make_span_row(span: Span, origin: Origin) -> Row:
    trace_id = _read_id(span.trace_id, 16, "trace id")
    span_id = _read_id(span.span_id, 8, "span id")
    gaps: list[str] = []
    parent_span_id = _read_parent(span.parent_span_id, gaps)
    start_ns = _read_time(span.start_time_unix_nano, gaps)
    end_ns = _read_time(span.end_time_unix_nano, gaps)
    duration_ms = _duration_ms(span, gaps)
    values = attributes(_cut_parts(span.attributes, "attributes", gaps))
    if GAPS in values:
        gaps[:0] = _list_stated(values[GAPS])
        duration_ms = None if NO_DURATION in gaps else duration_ms
    events = _cut_parts(span.events, "events", gaps) if span.events else ()
    links = _cut_parts(span.links, "links", gaps) if span.links else ()
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
        *[_find_text(values, keys) for keys in _PROMOTED_TEXT.values()],
        *[_find_count(values, keys) for keys in _PROMOTED_COUNTS.values()],
        _read_text(values.get("error.type")),
        _dump_json(values),
        _dump_events(events) if events else "[]",
        _dump_links(links) if links else "[]",
        origin.resource,
    )


def _make_log_row(record: LogRecord, origin: Origin) -> Row:
    gaps: list[str] = []
    time_ns = _read_time(record.time_unix_nano or record.observed_time_unix_nano, gaps)
    values = attributes(_cut_parts(record.attributes, "attributes", gaps))
    if gaps:
        values[GAPS] = list(dict.fromkeys(gaps))
    body = any_value(record.body)
    event_name = record.event_name or _find_text(values, _EVENT_NAMES)
    is_in_trace = len(record.trace_id) == 16 and any(record.trace_id)
    return (
        record.trace_id.hex() if is_in_trace else _derive_trace_id(event_name, values),
        record.span_id.hex() if is_in_trace and len(record.span_id) == 8 and any(record.span_id) else None,
        event_name,
        time_ns,
        record.severity_text or None,
        origin.service_name,
        origin.scope_name,
        None if body is None else _dump_json(body),
        _dump_json(values),
        origin.resource,
    )


def _derive_trace_id(event_name: str | None, values: Mapping[str, Any]) -> str | None:
    """Return the id under which a score waits that names no trace, but a response; None for any other record."""
    response_id = values.get(_RESPONSE_ID) if event_name == EVALUATION_EVENT else None
    if not isinstance(response_id, str) or not response_id:
        return None
    return hashlib.sha256(f"{_RESPONSE_ID} {response_id}".encode()).hexdigest()[:32]


def _measure_span(row: Row) -> int:
    """Return the size of the columns that take most of a row, besides its resource and scope."""
    return len(row[_ATTRIBUTES]) + len(row[_EVENTS]) + len(row[_LINKS])


def _measure_log(row: Row) -> int:
    return len(row[_BODY] or "") + len(row[_LOG_ATTRIBUTES])


def _read_id(raw: bytes, length: int, what: str) -> str:
    if len(raw) != length:
        raise _Refused(f"its {what} is {'empty' if not raw else f'{len(raw)} bytes long'} instead of {length} bytes")
    if not any(raw):
        raise _Refused(f"its {what} is all zero")
    return raw.hex()


def _read_parent(raw: bytes, gaps: list[str]) -> str | None:
    if not raw or not any(raw):
        return None
    if len(raw) != 8:
        gaps.append("invalid_parent_id")
        return None
    return raw.hex()


def _read_time(nanoseconds: int, gaps: list[str]) -> int:
    """Return nanoseconds since 1970, at most as many as BIGINT holds (until 2262), and record the gap."""
    if _is_known(nanoseconds):
        return nanoseconds
    gaps.append("time_not_recorded" if nanoseconds == 0 else "time_out_of_range")
    return min(nanoseconds, _INT64_MAX)


def _is_known(nanoseconds: int) -> bool:
    return 0 < nanoseconds <= _INT64_MAX


def _duration_ms(span: Span, gaps: list[str]) -> float | None:
    """Compute the duration; None if one of the times is not known, or if the span ended before it began."""
    start_ns, end_ns = span.start_time_unix_nano, span.end_time_unix_nano
    if not (_is_known(start_ns) and _is_known(end_ns)):
        return None
    if end_ns < start_ns:
        gaps.append("end_before_start")
        return None
    return (end_ns - start_ns) / 1e6


def _list_stated(value: Any) -> list[str]:
    """Return the gaps that the sender stated in the record itself."""
    return [gap for gap in value if isinstance(gap, str)] if isinstance(value, list) else []


def _cut_parts(parts: Sequence[_T], what: str, gaps: list[str]) -> Sequence[_T]:
    """Limit the number of parts of a record, and record the gap."""
    if len(parts) <= _MOST_OF_RECORD:
        return parts
    gaps.append(f"too_many_{what}")
    return parts[:_MOST_OF_RECORD]


def _dump_events(events: Sequence[Span.Event]) -> str:
    return _dump_json(
        [
            {"name": event.name, "time_ns": event.time_unix_nano, "attributes": attributes(event.attributes)}
            for event in events
        ]
    )


def _dump_links(links: Sequence[Span.Link]) -> str:
    return _dump_json(
        [
            {"trace_id": link.trace_id.hex(), "span_id": link.span_id.hex(), "attributes": attributes(link.attributes)}
            for link in links
        ]
    )


def _find_text(values: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        if (value := values.get(key)) is not None:
            return _read_text(value)
    return None


def _find_count(values: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        if (value := values.get(key)) is not None:
            return _read_count(value)
    return None


def _read_text(value: Any) -> str | None:
    return value if isinstance(value, str) else as_text(value)


def _read_count(value: Any) -> int | None:
    if isinstance(value, float) and value.is_integer() and abs(value) < _INT64_MAX:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _dump_json(value: Any) -> str:
    return orjson.dumps(value).decode()
