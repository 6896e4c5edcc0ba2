"""OpenTelemetry GenAI up to 1.36: one event a message, as a log record with a body or as a span event."""

from __future__ import annotations

from ..conventions import semconv
from ..conventions.semconv_events import has_events, with_events
from ..dialect import Dialect, Evidence
from ..span import Span
from ..step import Step

__all__ = ["DIALECT"]


def speaks(span: Span) -> bool:
    return has_events(span) and semconv.kind_of(span) in {"agent", "workflow", "model"}


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    return None if step is None else with_events(span, step)


DIALECT = Dialect(
    "genai_events",
    read,
    level="convention",
    speaks=speaks,
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    remedies=semconv.REMEDIES,
    evidence=(Evidence("opentelemetry-instrumentation-openai-v2", "2.0", "recording"),),
)
