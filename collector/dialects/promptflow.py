"""Azure's Prompt flow: functions with their arguments and what they returned as JSON, calls of OpenAI among them.

What it calls tools are the nodes of a flow, which no model asked for: they give structure.

Source: promptflow-tracing 1.18 (promptflow/tracing/_trace.py, promptflow/tracing/contracts/trace.py)
"""

from __future__ import annotations

from ..conventions import semconv
from ..conventions.keys import Keys, step_of
from ..conventions.openai import completion
from ..conventions.request import request
from ..conventions.spoken import said
from ..conventions.tool_definitions import definitions
from ..dialect import Dialect, Evidence
from ..frozen import replace
from ..span import Span
from ..step import Step, StepKind
from ..values import as_object, as_text

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
