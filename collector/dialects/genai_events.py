"""OpenTelemetry GenAI up to 1.36: one event a message, as a log record with a body or as a span event."""

from __future__ import annotations

from ..span import Span
from ..step import Step
from . import semconv
from .base import Dialect
from .semconv_events import has_events, with_events

__all__ = ["GENAI_EVENTS"]


def speaks(span: Span) -> bool:
    return has_events(span) and semconv.kind_of(span) in {"agent", "workflow", "model"}


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    return None if step is None else with_events(span, step)


GENAI_EVENTS = Dialect(
    "genai_events", read, speaks=speaks, content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
)
