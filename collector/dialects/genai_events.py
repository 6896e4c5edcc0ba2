"""OpenTelemetry GenAI up to 1.36: one event per message, as a log record with a body or as a span event."""

from __future__ import annotations

from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.semconv_events import has_events, with_events

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
    evidence=(
        Evidence("opentelemetry-instrumentation-openai-v2", "2.0", "recording"),
        Evidence("azure-ai-inference", "1.0.0b9", "recording"),
    ),
)
