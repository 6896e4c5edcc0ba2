"""Spans."""

from __future__ import annotations

from datetime import datetime

from .row import Json, Row

__all__ = ["Span"]


class Span(Row):
    """A row of `spans`."""

    trace_id: str
    span_id: str
    parent_span_id: str | None
    parent_is_remote: bool | None
    name: str
    kind: str | None
    start_time: datetime
    end_time: datetime
    start_ns: int
    end_ns: int
    duration_ms: float | None
    status_code: str
    status_message: str | None
    service_name: str | None
    service_version: str | None
    deployment_environment: str | None
    scope_name: str | None
    scope_version: str | None
    operation_name: str | None
    provider_name: str | None
    request_model: str | None
    response_model: str | None
    response_id: str | None
    agent_name: str | None
    agent_id: str | None
    session_id: str | None
    tool_name: str | None
    tool_call_id: str | None
    input_tokens: int | None
    output_tokens: int | None
    error_type: str | None
    attributes: Json
    events: Json
    links: Json
    resource: Json
    ingested_at: datetime
    batch_seq: int
