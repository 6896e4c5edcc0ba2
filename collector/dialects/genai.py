"""OpenTelemetry GenAI, since version 1.37 of the conventions: messages in attributes, span events or log events.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai),
https://github.com/dotnet/extensions/blob/0120286/src/Libraries/Microsoft.Extensions.AI/ChatCompletion/OpenTelemetryChatClient.cs
"""

from __future__ import annotations

from .shared import openai_agents, semconv
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]


DIALECT = Dialect(
    "genai",
    semconv.read,
    level="fallback",
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only",
    remedies=semconv.REMEDIES,
    unrecorded=openai_agents.UNRECORDED,
    evidence=(
        Evidence("opentelemetry-util-genai and opentelemetry-instrumentation-genai-*", "1.3b0", "recording"),
        Evidence("langchain-azure-ai", "1.2", "recording"),
        Evidence("agentscope", "2.0", "recording"),
        Evidence("loongsuite-instrumentation-google-adk", "0.9", "recording"),
        Evidence("sentry-sdk", "2.30 to 2.75", "source"),
        Evidence("Microsoft.Extensions.AI", "of 2026", "source"),
    ),
)
