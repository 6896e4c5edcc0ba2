"""A span as the dialects read it: plain values, its log records among its events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

import orjson

from .control_flow import Signal, signal_in
from .failure import build_failure_text
from .frozen import replace
from .values import as_count, as_text, canonical

__all__ = ["Event", "Shape", "Span", "build_spans_of_logs", "instant", "join_logs"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Shape: TypeAlias = tuple[str, ...]
"""The keys of a span's attributes, in their order."""


@lru_cache(maxsize=1024)
def instant(nanoseconds: int) -> datetime:
    """Return nanoseconds since 1970 as a UTC datetime, to the microsecond."""
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on a span: a span event, or a log record that names the span (then with a body)."""

    name: str | None
    time_ns: int
    attributes: Mapping[str, Any]
    body: Any = None
    is_log: bool = False


@dataclass(frozen=True, kw_only=True)
class Span:
    """One row of `spans`, decoded. Empty ids and texts that are not recorded are None."""

    trace_id: str
    span_id: str
    parent_span_id: str | None = None
    parent_is_remote: bool | None = None
    name: str = ""
    kind: str | None = None
    start_ns: int = 0
    end_ns: int = 0
    duration_ms: float | None = None
    status_code: str = "unset"
    status_message: str | None = None
    service_name: str | None = None
    service_version: str | None = None
    deployment_environment: str | None = None
    scope_name: str | None = None
    scope_version: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    links: tuple[Mapping[str, Any], ...] = ()
    resource: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Span:
        """Return the span in a row of `spans`; additional columns stay without effect."""
        span = object.__new__(cls)
        vars(span).update(
            row,
            attributes=orjson.loads(row["attributes"]),
            events=() if row["events"] == "[]" else tuple(map(_event, orjson.loads(row["events"]))),
            links=() if row["links"] == "[]" else tuple(orjson.loads(row["links"])),
            resource=_resource(row["resource"]),
        )
        return span

    @property
    def shape(self) -> Shape:
        """What the span has, whatever it is: by this one can remember how to read spans like it."""
        return tuple(self.attributes)

    def first(self, *keys: str) -> Any:
        """Return the value of the first of `keys` that is recorded and not an empty string; None if none is."""
        for key in keys:
            value = self.attributes.get(key)
            if value is not None and value != "":
                return value
        return None

    def text(self, *keys: str) -> str | None:
        """Return the first of `keys` that is recorded as a text that is not empty."""
        find = self.attributes.get
        for key in keys:
            if (value := find(key)) and isinstance(value, str):
                return value
        return None

    def count(self, *keys: str) -> int | None:
        """Return the first of `keys` as a count, also from text; None for an impossible one."""
        return as_count(self.first(*keys))

    def under(self, prefix: str) -> dict[str, Any]:
        """Return the attributes whose key starts with `prefix`, which is removed."""
        return {key[len(prefix) :]: value for key, value in self.attributes.items() if key.startswith(prefix)}

    def events_named(self, *names: str) -> Iterator[Event]:
        """Return the events of these names, in order of time."""
        return (event for event in self.events if event.name in names)

    @property
    def error(self) -> str | None:
        """What went wrong, when something did, as a person wants to read it; None also for control flow."""
        if self.status_code != "error" or self.signal is not None:
            return None
        message = self.status_message or self.text("error.message", "exception.message", "error")
        return build_failure_text(message, exceptions=self._exceptions, error_type=self.text("error.type"))

    @property
    def signal(self) -> Signal | None:
        """The control flow that an exception or status of the span stands for, although it may be marked as failed."""
        exceptions = self._exceptions if self.events else ()
        if exceptions:
            return signal_in(*exceptions[-1])
        message = self.status_message or self.text("langfuse.observation.status_message")
        error_type = self.text("error.type")
        return signal_in(error_type, message) if error_type or message else None

    @property
    def _exceptions(self) -> list[tuple[str | None, str | None]]:
        """Type and message of the exceptions that were recorded on the span, in order of time."""
        return [
            (as_text(event.attributes.get("exception.type")), as_text(event.attributes.get("exception.message")))
            for event in self.events_named("exception")
        ]


@lru_cache(maxsize=1024)
def _resource(text: str) -> Mapping[str, Any]:
    """Decode a resource, which the spans of one process share."""
    resource: dict[str, Any] = orjson.loads(text)
    return MappingProxyType(resource)


def _event(event: Mapping[str, Any]) -> Event:
    return Event(event["name"], event["time_ns"], event["attributes"])


def join_logs(spans: Iterable[Span], logs: Iterable[Mapping[str, Any]]) -> list[Span]:
    """Return `spans` with the rows of `logs` that name them among their events, without other log records."""
    records: dict[str, list[Event]] = {}
    for row in logs:
        if row["span_id"] is not None:
            records.setdefault(row["span_id"], []).append(_log_event(row))
    return [_with_records(span, records[span.span_id]) if span.span_id in records else span for span in spans]


def build_spans_of_logs(logs: Iterable[Mapping[str, Any]]) -> list[Span]:
    """Return spans for the log records of a trace without spans: one per scope, without name and end.

    It has the records as events, and the least of the span ids that they name.
    """
    by_scope: dict[str, list[Mapping[str, Any]]] = {}
    for row in logs:
        if row["trace_id"] is not None and row["scope_name"] is not None:
            by_scope.setdefault(row["scope_name"], []).append(row)
    return [_span_of(scope, rows) for scope, rows in by_scope.items()]


def _span_of(scope: str, rows: list[Mapping[str, Any]]) -> Span:
    events = tuple(sorted(map(_log_event, rows), key=_event_order))
    first = min(rows, key=lambda row: (row["time_ns"], row["span_id"] or ""))
    return Span(
        trace_id=first["trace_id"],
        span_id=min((row["span_id"] for row in rows if row["span_id"] is not None), default=_NO_SPAN),
        start_ns=first["time_ns"],
        service_name=first["service_name"],
        scope_name=scope,
        events=events,
    )


_NO_SPAN = "0" * 16


def _with_records(span: Span, records: list[Event]) -> Span:
    # A stable order whatever the order of arrival: by time, and at one instant by content.
    events = sorted((*span.events, *records), key=_event_order)
    return replace(span, events=tuple(events))


def _event_order(event: Event) -> tuple[int, bool, str]:
    content = [event.name, event.body, event.attributes] if event.is_log else None
    return event.time_ns, event.is_log, canonical(content)


def _log_event(row: Mapping[str, Any]) -> Event:
    body = row["body"]
    return Event(
        row["event_name"],
        row["time_ns"],
        orjson.loads(row["attributes"]),
        body=None if body is None else orjson.loads(body),
        is_log=True,
    )
