"""OpenInference, the dialect of Arize Phoenix: a span names its kind, or is marked as a model call.

Source: https://github.com/Arize-ai/openinference/tree/main/spec, openinference-instrumentation 0.1.72 (`_tracers.py`)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openai_agents, openinference
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_INSTRUMENTORS = ("openinference.instrumentation.", "@arizeai/openinference-")


def read(span: Span) -> Step | None:
    """Return the step. An agent that is recorded by hand, as with the decorator `agent`, names its span."""
    step = openinference.read(span)
    if step is None or step.kind != "agent" or step.agent_name or (span.scope_name or "").startswith(_INSTRUMENTORS):
        return step
    return replace(step, agent_name=span.name or None)


DIALECT = Dialect(
    "openinference",
    read,
    level="convention",
    keys=(openinference.KIND, *(f"{prefix}*" for prefix in openinference.INFERENCE)),
    content=openinference.CONTENT,
    unrecorded=openai_agents.UNRECORDED,
    evidence=(
        Evidence("openinference-instrumentation-*", "0.1 to 4.6", "recording"),
        Evidence("@arizeai/openinference-instrumentation-langchain", "4.1", "recording"),
        Evidence("@arizeai/openinference-instrumentation-openai-agents", "0.2", "recording"),
        Evidence("@arizeai/openinference-*", "of 2026", "recording"),
    ),
)
