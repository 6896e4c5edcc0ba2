"""Azure's Prompt flow: functions with arguments and result as JSON, calls of OpenAI among them.

What it calls tools are the nodes of a flow, which no model asked for: they give structure.

Source: promptflow-tracing 1.18 (promptflow/tracing/_trace.py, promptflow/tracing/contracts/trace.py)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text
from .shared import semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.openai import read_completion
from .shared.request import read_request
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_KINDS: dict[str, StepKind] = {"LLM": "model", "Flow": "workflow", "Function": "workflow", "Retrieval": "retrieval"}
_KEYS = Keys(input_value=("inputs",), output_value=("output",)).before(semconv.KEYS)


def speaks(span: Span) -> bool:
    return span.text("framework") == "promptflow"


def read(span: Span) -> Step | None:
    kind = _KINDS.get(span.text("span_type") or "")
    if kind is None:
        return None
    return _model(span) if kind == "model" else read_step(span, kind, _KEYS)


def _model(span: Span) -> Step:
    """Return a model call; a stream is a list of chunks, with its message recorded beside it."""
    request, response = as_object(span.first("inputs")) or {}, as_object(span.first("output")) or {}
    keys = Keys(response_model=("llm.response.model",)).before(semconv.KEYS)
    return replace(
        read_step(span, "model", keys),
        request_model=as_text(request.get("model")),
        response_id=as_text(response.get("id")),
        input=read_request(request) or read_turns(span.first("inputs"), "user"),
        output=read_completion(response) or read_turns(span.first("llm.generated_message"), "assistant"),
        definitions=read_definitions(request.get("tools")),
    )


DIALECT = Dialect(
    "promptflow",
    read,
    keys=("span_type",),
    speaks=speaks,
    evidence=(Evidence("promptflow-tracing", "1.18", "source"),),
)
