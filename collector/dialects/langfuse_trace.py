"""Langfuse's keys of a trace, on a span without other content: input and output of the application.

Source: https://langfuse.com/integrations/native/opentelemetry#property-mapping
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

INPUT, OUTPUT = "langfuse.trace.input", "langfuse.trace.output"
_KEYS = Keys(input_value=(INPUT,), output_value=(OUTPUT,)).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is not None:
        return step
    step = read_step(span, "workflow", _KEYS)
    return replace(step, agent_name=step.agent_name or span.text("langfuse.trace.name"))


DIALECT = Dialect(
    "langfuse_trace",
    read,
    keys=(INPUT, OUTPUT),
    level="fallback",
    evidence=(Evidence("any SDK of OpenTelemetry", "with Langfuse's keys", "documentation"),),
)
