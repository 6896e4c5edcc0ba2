"""A story as the export requests that an instrumentation of its convention would send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.support.otlp import any_value, key_values, logs_request, traces_request

from .story import Fault, Story
from .timeline import Node, nodes

__all__ = ["Convention", "Event", "Export", "Log", "Written", "exception", "export"]

_STATUS = {"unset": Status.STATUS_CODE_UNSET, "ok": Status.STATUS_CODE_OK, "error": Status.STATUS_CODE_ERROR}


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a span."""

    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Log:
    """A log record in the context of a span. `at_end`: written when the span ends, else when it begins."""

    name: str
    body: Any
    attributes: Mapping[str, Any] = field(default_factory=dict)
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """A node as a convention writes it. Attributes that are None are left out."""

    name: str
    attributes: Mapping[str, Any]
    kind: Literal["internal", "client", "server"] = "internal"
    status: Literal["unset", "ok", "error"] = "unset"
    status_message: str = ""
    events: Sequence[Event] = ()
    logs: Sequence[Log] = ()


class Convention(Protocol):
    """A way to write agents' work into spans."""

    scope: str
    version: str

    def write(self, node: Node) -> Written:
        """The span of a node."""


@dataclass(frozen=True, slots=True)
class Export:
    """The bodies of the export requests; `logs` is empty where the convention writes none."""

    traces: bytes
    logs: bytes


def export(story: Story, convention: Convention) -> Export:
    """The spans and log records of a story."""
    written = [(node, convention.write(node)) for node in nodes(story) if _is_sent(node)]
    resource = {
        "service.name": f"{story.agent.name.replace('_', '-')}-service",
        "telemetry.sdk.language": "python",
        "telemetry.sdk.name": "opentelemetry",
        "telemetry.sdk.version": "1.45.2",
    }
    records = [_record(node, log, at) for node, span in written for at, log in enumerate(span.logs)]
    records.sort(key=lambda record: record.time_unix_nano)
    return Export(
        traces=traces_request([_span(*pair) for pair in written], resource=resource, scope=convention.scope),
        logs=logs_request(records, resource=resource, scope=convention.scope) if records else b"",
    )


def exception(fault: Fault | None) -> Sequence[Event]:
    """The event in which an SDK records an exception."""
    if fault is None:
        return ()
    frames = 'Traceback (most recent call last):\n  File "/srv/app/agents/runner.py", line 214, in run'
    trace = f"{frames}\n{fault.type}: {fault.message}"
    attributes = {"exception.type": fault.type, "exception.message": fault.message, "exception.stacktrace": trace}
    return (Event("exception", attributes),)


def _is_sent(node: Node) -> bool:
    return node.kind != "agent" or node.story.agent_span == "ended"


def _span(node: Node, written: Written) -> Span:
    attributes = {**written.attributes, **(node.story.attributes if node.is_first else {})}
    return Span(
        trace_id=bytes.fromhex(node.trace_id),
        span_id=bytes.fromhex(node.span_id),
        parent_span_id=bytes.fromhex(node.parent_id or ""),
        name=written.name,
        kind=Span.SpanKind.Value(f"SPAN_KIND_{written.kind.upper()}"),
        start_time_unix_nano=node.start_ns,
        end_time_unix_nano=node.end_ns,
        attributes=key_values({key: value for key, value in attributes.items() if value is not None}),
        status=Status(code=_STATUS[written.status], message=written.status_message),
        events=[
            Span.Event(name=event.name, time_unix_nano=node.end_ns - 1_000, attributes=key_values(event.attributes))
            for event in written.events
        ],
    )


def _record(node: Node, log: Log, at: int) -> LogRecord:
    return LogRecord(
        trace_id=bytes.fromhex(node.trace_id),
        span_id=bytes.fromhex(node.span_id),
        event_name=log.name,
        time_unix_nano=(node.end_ns - 1_000 if log.at_end else node.start_ns) + at,
        attributes=key_values(log.attributes),
        body=any_value(log.body),
    )
