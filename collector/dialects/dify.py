"""Dify: the nodes of a workflow, with GenAI keys and a kind of their own; the workflow has its inputs and outputs.

Source: dify of 2026 (api/extensions/otel: semconv/gen_ai.py, semconv/dify.py, parser/base.py, parser/llm.py,
parser/tool.py)
"""

from __future__ import annotations

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object
from .shared import semconv
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_QUESTION, _ANSWERS = "sys.query", ("answer", "text", "result")


def speaks(span: Span) -> bool:
    return span.attributes.get("gen_ai.framework") == "dify" or any(key.startswith("dify.") for key in span.attributes)


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is None or step.kind != "workflow":
        return step
    inputs, outputs = as_object(span.first("input.value")) or {}, as_object(span.first("output.value")) or {}
    answer = next((text for key in _ANSWERS if isinstance(text := outputs.get(key), str)), None)
    question = inputs.get(_QUESTION)
    return replace(step, input_text=question if isinstance(question, str) else None, output_text=answer)


DIALECT = Dialect(
    "dify",
    read,
    scopes=("dify*",),
    keys=("gen_ai.framework", "dify.*"),
    speaks=speaks,
    evidence=(Evidence("dify", "of 2026", "source"),),
)
