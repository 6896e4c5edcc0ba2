"""Log records."""

from __future__ import annotations

from datetime import datetime

from .row import Json, Row

__all__ = ["LogRecord"]


class LogRecord(Row):
    """A row of `logs`."""

    trace_id: str | None
    span_id: str | None
    event_name: str | None
    time: datetime
    time_ns: int
    severity: str | None
    service_name: str | None
    scope_name: str | None
    body: Json
    attributes: Json
    resource: Json
    ingested_at: datetime
    batch_seq: int
