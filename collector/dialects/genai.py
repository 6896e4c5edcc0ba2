"""OpenTelemetry GenAI, as the conventions stand since 1.37: messages in attributes, span events or log events.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai)
"""

from __future__ import annotations

from . import semconv
from .base import Dialect

__all__ = ["GENAI"]


GENAI = Dialect(
    "genai",
    semconv.read,
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only",
)
