"""OTLP/JSON written by hand, without a library."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tracegrade.collector.spans.span import Span

__all__ = ["as_json"]


def as_json(spans: Iterable[Span]) -> bytes:
    """The body of an export of these spans, on one line."""
    in_scope = {"spans": [_span(span) for span in spans]}
    resource = {"attributes": [_attribute("service.name", "tests")]}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [in_scope]}]}).encode()


def _span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_span_id or "",
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": [_attribute(key, value) for key, value in span.attributes.items()],
    }


def _attribute(key: str, value: object) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}}
