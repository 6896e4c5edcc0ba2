"""Records that an OpenTelemetry SDK for JavaScript wrote to a file one by one, as OTLP/JSON.

GitHub Copilot's CLI and VS Code write each span or log record as an object of its own: `{"type": "span", "traceId",
"spanId", "name", "startTime": [seconds, nanoseconds], "attributes": {…}, "resource": {"attributes": {…}}}`. Others
write the SDK's objects as they are, with the ids in a span context.

Source: @github/copilot 1.0 (file exporter), @opentelemetry/sdk-trace-base 2.0 (export/ReadableSpan.ts)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["as_request", "is_flat"]

_CONTEXTS = ("spanContext", "_spanContext", "context")
_STATUS = {"UNSET": 0, "OK": 1, "ERROR": 2}
_KINDS = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_SPAN, _LOG, _METRIC = "span", "log", "metric"


def is_flat(value: Any) -> bool:
    """Return whether a JSON value is such a record."""
    if not isinstance(value, dict):
        return False
    sort = value.get("type")
    return sort in {_SPAN, _LOG, _METRIC, "log_record"} or (_find_context(value) is not None and "name" in value)


def as_request(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an export request in OTLP/JSON with this record; None for a metric."""
    sort = record.get("type")
    if sort == _METRIC:
        return None
    resource = {"attributes": _attributes(_values_of(record.get("resource")))}
    scope = record.get("instrumentationScope", record.get("scope", record.get("instrumentationLibrary")))
    fields = scope if isinstance(scope, dict) else {"name": scope} if isinstance(scope, str) else {}
    about = {"name": fields.get("name") or "", "version": fields.get("version") or ""}
    if sort == _SPAN or (sort is None and "startTime" in record):
        spans = [{"scope": about, "spans": [_span(record)]}]
        return {"resourceSpans": [{"resource": resource, "scopeSpans": spans}]}
    logs = [{"scope": about, "logRecords": [_log(record)]}]
    return {"resourceLogs": [{"resource": resource, "scopeLogs": logs}]}


def _span(record: Mapping[str, Any]) -> dict[str, Any]:
    context = _find_context(record) or {}
    parent = record.get("parentSpanContext")
    status = record.get("status")
    fields = status if isinstance(status, dict) else {"code": status}
    kind = record.get("kind")
    return {
        "traceId": context.get("traceId"),
        "spanId": context.get("spanId"),
        "parentSpanId": record.get("parentSpanId") or (parent.get("spanId") if isinstance(parent, dict) else None),
        "name": record.get("name"),
        # The SDK counts kinds from 0, where OTLP has an unspecified one.
        "kind": _KINDS.get(kind, 0) if isinstance(kind, str) else kind + 1 if isinstance(kind, int) else 0,
        "startTimeUnixNano": _nanoseconds(record.get("startTime")),
        "endTimeUnixNano": _nanoseconds(record.get("endTime")),
        "attributes": _attributes(record.get("attributes")),
        "status": {"code": _code(fields.get("code")), "message": fields.get("message")},
        "events": [_event(event) for event in _dicts(record.get("events"))],
        "links": [
            {
                "traceId": linked.get("traceId"),
                "spanId": linked.get("spanId"),
                "attributes": _attributes(link.get("attributes")),
            }
            for link in _dicts(record.get("links"))
            if (linked := _find_context(link)) is not None
        ],
    }


def _log(record: Mapping[str, Any]) -> dict[str, Any]:
    context = _find_context(record) or {}
    time = next((record[key] for key in ("timestamp", "hrTime", "time") if key in record), None)
    body = record.get("body", record.get("_body"))
    return {
        "traceId": context.get("traceId"),
        "spanId": context.get("spanId"),
        "timeUnixNano": _nanoseconds(time),
        "severityText": record.get("severityText"),
        "eventName": record.get("eventName") or record.get("name"),
        "body": None if body is None else _value(body),
        "attributes": _attributes(record.get("attributes")),
    }


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": event.get("name"),
        "timeUnixNano": _nanoseconds(event.get("time")),
        "attributes": _attributes(event.get("attributes")),
    }


def _find_context(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the object with the ids: the record itself, or its span context."""
    holders = (record, *(record.get(key) for key in _CONTEXTS))
    return next((holder for holder in holders if isinstance(holder, dict) and "traceId" in holder), None)


def _values_of(resource: Any) -> Any:
    """Return the attributes of a resource, also from the SDK's own fields."""
    if not isinstance(resource, dict):
        return {}
    raw: Any = next((resource[key] for key in ("attributes", "_rawAttributes", "_attributes") if resource.get(key)), {})
    if isinstance(raw, list):
        return {pair[0]: pair[1] for pair in raw if isinstance(pair, list) and len(pair) == 2}
    return raw


def _attributes(values: Any) -> list[dict[str, Any]]:
    if isinstance(values, list):  # as OTLP has them
        return [pair for pair in values if isinstance(pair, dict) and "key" in pair]
    pairs = values.items() if isinstance(values, dict) else ()
    return [{"key": str(key), "value": _value(value)} for key, value in pairs if value is not None]


def _value(value: Any) -> dict[str, Any]:  # noqa: PLR0911 - one line a kind
    match value:
        case bool():
            return {"boolValue": value}
        case int() if abs(value) < 2**63:
            return {"intValue": str(value)}
        case int() | float():
            return {"doubleValue": float(value)}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": _attributes(value)}}
        case None:
            return {}
    return {"stringValue": str(value)}


def _nanoseconds(time: Any) -> str:
    """Return a time, `[seconds, nanoseconds]` or a number of milliseconds or nanoseconds, in nanoseconds."""
    match time:
        case [int(seconds), int(nanoseconds)] if seconds >= 0 and nanoseconds >= 0:
            return str(seconds * 10**9 + nanoseconds)
        case bool():
            return "0"
        case int() | float() if 0 <= time < _MILLISECONDS:
            return str(int(time * 10**6))
        case int() if time >= 0:
            return str(time)
        case str() if time.isdigit():
            return time
    return "0"


def _code(code: Any) -> int:
    if isinstance(code, str):
        return _STATUS.get(code.upper().removeprefix("STATUS_CODE_"), 0)
    return code if code in {0, 1, 2} else 0


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


_MILLISECONDS = 10**14
"""Larger times are in nanoseconds."""
