"""Azure's Prompt flow: functions with their arguments and what they returned as JSON, calls of OpenAI among them.

What it calls tools are the nodes of a flow, which no model asked for: they give structure.

Source: promptflow-tracing 1.18 (promptflow/tracing/_trace.py, promptflow/tracing/contracts/trace.py)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, step_of
from .shared.openai import completion
from .shared.request import request
from .shared.spoken import said
from .shared.tool_definitions import definitions

__all__ = ["DIALECT"]

_KINDS: dict[str, StepKind] = {"LLM": "model", "Flow": "workflow", "Function": "workflow", "Retrieval": "retrieval"}
_KEYS = Keys(given=("inputs",), gave=("output",)).before(semconv.KEYS)


def speaks(span: Span) -> bool:
    return span.text("framework") == "promptflow"


def read(span: Span) -> Step | None:
    kind = _KINDS.get(span.text("span_type") or "")
    if kind is None:
        return None
    return _model(span) if kind == "model" else step_of(span, kind, _KEYS)


def _model(span: Span) -> Step:
    """What streamed is a list of chunks; the message that they make is recorded beside it."""
    asked, answered = as_object(span.first("inputs")) or {}, as_object(span.first("output")) or {}
    keys = Keys(response_model=("llm.response.model",)).before(semconv.KEYS)
    return replace(
        step_of(span, "model", keys),
        request_model=as_text(asked.get("model")),
        response_id=as_text(answered.get("id")),
        input=request(asked) or said(span.first("inputs"), "user"),
        output=completion(answered) or said(span.first("llm.generated_message"), "assistant"),
        definitions=definitions(asked.get("tools")),
    )


DIALECT = Dialect(
    "promptflow",
    read,
    keys=("span_type",),
    speaks=speaks,
    evidence=(Evidence("promptflow-tracing", "1.18", "source"),),
)
