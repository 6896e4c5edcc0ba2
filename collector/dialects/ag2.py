"""AG2: GenAI keys with the kind of each span beside them; a span of its own repeats the tokens of a call.

Before version 1 agents talk with each other: the conversation is the run, and each of its turns, in which one of them
asks its model or carries out a tool, says that an agent was invoked. What the conversation gave is all that was said in
it, earlier turns included.

Source: ag2 0.14.0 (autogen/opentelemetry), 1.2.1 (ag2/middleware/builtin/telemetry.py, ag2/_telemetry_consts.py)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

KIND = "ag2.span.type"
_TOLD_BEFORE = frozenset({"model_call", "subtask"})
"""Tokens that the spans of model calls record as well."""


def read(span: Span) -> Step | None:
    kind = span.text(KIND)
    if kind == "usage" and span.text("ag2.usage.kind") in _TOLD_BEFORE:
        return None
    if kind == "conversation":
        return _conversation(span)
    step = semconv.read(span)
    is_turn = kind == "agent" and (span.scope_version or "").startswith("0.")
    return replace(step, kind="workflow", input=None, output=None) if step is not None and is_turn else step


def _conversation(span: Span) -> Step:
    """Return the run with its last message; the span has the name of its initiator, not of an agent."""
    step = semconv.read_conversation_step(span, "workflow")
    return replace(step, agent_name=None, output=(step.output or ())[-1:] or None)


DIALECT = Dialect(
    "ag2",
    read,
    scopes=("opentelemetry.instrumentation.ag2",),
    keys=(KIND,),
    content="TelemetryMiddleware(capture_content=True), or instrument_llm_wrapper(capture_messages=True)",
    evidence=(Evidence("ag2", "0.14, 1.2", "recording"),),
)
