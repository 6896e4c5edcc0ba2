"""Embabel: spans of agent processes, actions and tool calls, around the model calls that Spring AI records.

`embabel.event.type` says what a span is. Spans of tool calls are written when the call is over and have its duration
as an attribute. `embabel.llm.invocation` repeats the tokens of the model call that Spring AI has as a span, and is left
out. Messages of model calls have texts alone, the calls of tools are only in their own spans.

Source: embabel-agent v0.4.0 and v1.5.0 (embabel-agent-observability: EmbabelFullObservationEventListener,
EmbabelSpanEventListener, EmbabelAgentObservationConvention, ChatModelObservationFilter, SpanAttributes)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_count
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step

__all__ = ["DIALECT"]

TYPE = "embabel.event.type"
_KINDS: dict[str, StepKind] = {
    "agent_process": "agent",
    "llm_call": "model",
    "tool_call": "tool",
    "rag": "retrieval",
}
_WHO = Keys(agent_name=("embabel.agent.name",), run_id=("embabel.run.id", "embabel.agent.run_id")).before(semconv.KEYS)
_AGENT = Keys(input_value=("input.value",), output_value=("output.value", "embabel.agent.result")).before(_WHO)
_TOOL = Keys(
    tool_name=("embabel.tool.name",),
    error=("embabel.tool.error.message", "embabel.tool.error.type"),
    args=("gen_ai.tool.call.arguments", "input.value"),
    result=("gen_ai.tool.call.result", "output.value"),
).before(_WHO)


def speaks(span: Span) -> bool:
    return span.text(TYPE) is not None


def read(span: Span) -> Step | None:
    kind = _KINDS.get(span.text(TYPE) or "")
    if kind == "tool":
        step = read_step(span, "tool", _TOOL)
        return replace(step, duration_ms=as_count(span.first("embabel.tool.duration_ms")))
    if kind == "agent":
        return read_step(span, "agent", _AGENT)
    if kind == "model":
        # Since 1.0 this span is around those of the model calls, and says nothing of them.
        return semconv.read(span, _WHO)
    return read_step(span, kind, _WHO) if kind is not None else None


DIALECT = Dialect(
    "embabel",
    read,
    scopes=("org.springframework.boot",),
    keys=("embabel.*",),
    speaks=speaks,
    evidence=(Evidence("embabel-agent-observability", "0.4, 1.5", "source"),),
)
