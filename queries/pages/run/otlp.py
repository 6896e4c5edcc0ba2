"""Spans and log records of the store as OTLP JSON, as exporters send them.

Source: https://github.com/open-telemetry/opentelemetry-proto (docs/specification.md, "JSON Protobuf Encoding")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import orjson

from ...answers.log_record import LogRecord
from ...answers.span import Span

__all__ = ["write_otlp"]

Json: TypeAlias = dict[str, Any]
R = TypeVar("R", Span, LogRecord)

_KINDS: Final = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES: Final = ("unset", "ok", "error")
_FLAGS: Final[Mapping[bool | None, int | None]] = {None: None, False: 0x100, True: 0x300}
"""Whether it is known that the parent is in another process, and whether it is."""


def write_otlp(spans: Iterable[Span], logs: Iterable[LogRecord] = ()) -> bytes:
    """Return an ExportTraceServiceRequest with some spans.

    If there are log records, it has the field of an ExportLogsServiceRequest, too, which `tracegrade import` reads and
    receivers of traces ignore.
    """
    grouped: Json = {
        "resourceSpans": _group(spans, lambda span: span.scope_version, "scopeSpans", "spans", _write_span)
    }
    if records := _group(logs, lambda _: None, "scopeLogs", "logRecords", _write_log):
        grouped["resourceLogs"] = records
    return orjson.dumps(grouped, option=orjson.OPT_INDENT_2)


def _group(
    rows: Iterable[R], version_of: Callable[[R], str | None], scopes_key: str, key: str, write: Callable[[R], Json]
) -> list[Json]:
    """Return rows by resource and scope."""
    resources: dict[bytes, tuple[Json, dict[tuple[str | None, str | None], list[Json]]]] = {}
    for row in rows:
        attributes = row.resource or {}
        resource = orjson.dumps(attributes, option=orjson.OPT_SORT_KEYS)
        _, scopes = resources.setdefault(resource, (attributes, {}))
        scopes.setdefault((row.scope_name, version_of(row)), []).append(write(row))
    return [
        {
            "resource": {"attributes": _write_attributes(attributes)},
            scopes_key: [
                {"scope": _without_none({"name": name, "version": version}), key: of_scope}
                for (name, version), of_scope in scopes.items()
            ],
        }
        for attributes, scopes in resources.values()
    ]


def _write_log(record: LogRecord) -> Json:
    return _without_none(
        {
            "timeUnixNano": str(record.time_ns),
            "severityText": record.severity,
            "body": None if record.body is None else _write_value(record.body),
            "attributes": _write_attributes(record.attributes),
            "traceId": record.trace_id,
            "spanId": record.span_id,
            "eventName": record.event_name,
        }
    )


def _write_span(span: Span) -> Json:
    return _without_none(
        {
            "traceId": span.trace_id,
            "spanId": span.span_id,
            "parentSpanId": span.parent_span_id,
            "flags": _FLAGS[span.parent_is_remote],
            "name": span.name,
            "kind": _KINDS.index(span.kind) if span.kind in _KINDS else 0,
            "startTimeUnixNano": str(span.start_ns),
            "endTimeUnixNano": str(span.end_ns),
            "attributes": _write_attributes(span.attributes),
            "events": [
                {
                    "timeUnixNano": str(event.get("time_ns", 0)),
                    "name": event.get("name", ""),
                    "attributes": _write_attributes(event.get("attributes")),
                }
                for event in span.events or []
            ],
            "links": [
                {
                    "traceId": link.get("trace_id", ""),
                    "spanId": link.get("span_id", ""),
                    "attributes": _write_attributes(link.get("attributes")),
                }
                for link in span.links or []
            ],
            "status": _without_none(
                {
                    "code": _STATUSES.index(span.status_code) if span.status_code in _STATUSES else 0,
                    "message": span.status_message,
                }
            ),
        }
    )


def _write_attributes(attributes: Mapping[str, Any] | None) -> list[Json]:
    return [{"key": key, "value": _write_value(value)} for key, value in (attributes or {}).items()]


def _write_value(value: Any) -> Json:  # noqa: PLR0911 - one line a kind
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case Mapping():
            return {"kvlistValue": {"values": _write_attributes(value)}}
        case Sequence():
            return {"arrayValue": {"values": [_write_value(each) for each in value]}}
        case _:
            return {}


def _without_none(fields: Mapping[str, Any]) -> Json:
    return {name: value for name, value in fields.items() if value is not None}
