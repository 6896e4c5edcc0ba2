"""DeepEval's OpenTelemetry keys (`confident.*`): kind, input and output, on spans of any origin.

Source: https://github.com/confident-ai/deepeval (deepeval/tracing/otel/attributes.py)
"""

from __future__ import annotations

from ..spans.span import Span
from ..spans.step import Step, StepKind
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.traced import read_traced

__all__ = ["DIALECT"]

TYPE, INPUT, OUTPUT = "confident.span.type", "confident.span.input", "confident.span.output"
_TRACE_INPUT, _TRACE_OUTPUT = "confident.trace.input", "confident.trace.output"
_KINDS: dict[str, StepKind] = {
    "agent": "agent",
    "base": "workflow",
    "llm": "model",
    "retriever": "retrieval",
    "tool": "tool",
}
_KEYS = Keys(
    agent_name=("confident.agent.name",),
    session_id=("confident.trace.thread_id",),
    user_id=("confident.trace.user_id",),
    provider_name=("confident.span.provider",),
    request_model=("confident.llm.model",),
    input_tokens=("confident.llm.input_token_count",),
    output_tokens=("confident.llm.output_token_count",),
    input_value=(INPUT, _TRACE_INPUT),
    output_value=(OUTPUT, _TRACE_OUTPUT),
    definitions=("confident.agent.tool_definitions",),
    tool_name=("confident.tool.name",),
    tool_description=("confident.tool.description",),
    result=(OUTPUT,),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _KINDS.get((span.text(TYPE) or "").lower()) or semconv.kind_of(span) or "workflow"
    return read_traced(span, kind, _KEYS, arguments=span.first(INPUT))


DIALECT = Dialect(
    "deepeval",
    read,
    keys=(TYPE, INPUT, OUTPUT, _TRACE_INPUT, _TRACE_OUTPUT),
    level="fallback",
    evidence=(Evidence("deepeval", "of 2026", "source"),),
)
