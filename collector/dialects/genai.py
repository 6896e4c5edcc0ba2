"""OpenTelemetry GenAI, as the conventions stand since 1.37: messages in attributes, span events or log events.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from ..span import Span
from . import semconv
from .base import Dialect

__all__ = ["GENAI"]


def speaks(span: Span) -> bool:
    return semconv.kind_of(span) is not None


GENAI = Dialect(
    "genai",
    semconv.read,
    speaks=speaks,
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only",
)
