"""The event by which OpenTelemetry records a score.

https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events/
"""

from __future__ import annotations

from typing import Final

__all__ = ["EVALUATION_EVENT"]

EVALUATION_EVENT: Final = "gen_ai.evaluation.result"
