"""TruLens: functions of an application, with one attribute per argument, and their kind.

The outermost function of a record also has the application's input and output. Spans of evaluations are not steps.

Source: https://github.com/truera/trulens of 2026 (src/otel/semconv/trulens/otel/semconv/trace.py,
src/core/trulens/experimental/otel_tracing/core/span.py)
"""

from __future__ import annotations

from ..spans.span import Span
from ..spans.step import Step, StepKind
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys
from .shared.traced import read_traced

__all__ = ["DIALECT"]

_NAMESPACE = "ai.observability."
TYPE, RESULT, ARGUMENTS = f"{_NAMESPACE}span_type", f"{_NAMESPACE}call.return", f"{_NAMESPACE}call.kwargs."
_COST, _MCP, _ROOT = f"{_NAMESPACE}cost.", f"{_NAMESPACE}mcp.", f"{_NAMESPACE}record_root."
_KINDS: dict[str, StepKind] = {
    "agent": "agent",
    "generation": "model",
    "graph_node": "workflow",
    "graph_task": "workflow",
    "mcp": "tool",
    "nested_record_root": "workflow",
    "record_root": "workflow",
    "reranking": "retrieval",
    "retrieval": "retrieval",
    "tool": "tool",
    "workflow_step": "workflow",
}
_KEYS = Keys(
    agent_name=(f"{_NAMESPACE}workflow.agent_name",),
    session_id=(f"{_NAMESPACE}conversation_id",),
    error=(f"{_NAMESPACE}call.error", f"{_ROOT}error"),
    request_model=(f"{_COST}model",),
    input_tokens=(f"{_COST}num_prompt_tokens",),
    output_tokens=(f"{_COST}num_completion_tokens",),
    reasoning_tokens=(f"{_COST}num_reasoning_tokens",),
    time_to_first_token_ms=(f"{_NAMESPACE}generation.time_to_first_token_ms",),
    input_value=(f"{_ROOT}input",),
    output_value=(f"{_ROOT}output", RESULT),
    tool_name=(f"{_MCP}tool_name",),
    args=(f"{_MCP}input_arguments",),
    result=(f"{_MCP}output_content", RESULT),
).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _KINDS.get((span.text(TYPE) or "").lower())
    return None if kind is None else read_traced(span, kind, _KEYS, arguments=span.under(ARGUMENTS) or None)


DIALECT = Dialect(
    "trulens",
    read,
    keys=(TYPE,),
    level="convention",
    evidence=(Evidence("trulens-otel-semconv", "of 2026", "source"),),
)
