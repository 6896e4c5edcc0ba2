"""AWS Strands: GenAI keys, with Bedrock's content blocks in results and, in its older mode, in events.

Source: strands-agents 1.62 (strands/telemetry/tracer.py)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import ToolDefinition

from ..envelopes import content_blocks
from ..span import Span
from ..step import Step
from ..values import as_object
from . import semconv
from .base import Dialect, arguments
from .semconv_events import with_events

__all__ = ["STRANDS"]

_SCOPE = "strands.telemetry.tracer"


def speaks(span: Span) -> bool:
    return span.scope_name == _SCOPE


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is None:
        return None
    return _tool(span, step) if step.kind == "tool" else with_events(span, step)


def _tool(span: Span, step: Step) -> Step:
    """Older: the arguments are the tool message on the tool's span, the result is its choice."""
    said = next((event.attributes.get("content") for event in span.named("gen_ai.tool.message")), None)
    gave = next((event.attributes.get("message") for event in span.named("gen_ai.choice")), None)
    result = content_blocks(step.result if step.result is not None else gave)
    failed = (result or "error") if span.text("gen_ai.tool.status") == "error" else None
    return replace(
        step,
        args=step.args if step.args is not None else arguments(said),
        result=result,
        error=step.error or failed,
        definitions=_definition(span),
    )


def _definition(span: Span) -> tuple[ToolDefinition, ...] | None:
    name = span.text("gen_ai.tool.name")
    schema: dict[str, Any] | None = as_object(span.first("gen_ai.tool.json_schema"))
    if name is None or schema is None:
        return None
    return (ToolDefinition(name=name, description=span.text("gen_ai.tool.description"), input_schema=schema),)


STRANDS = Dialect("strands", speaks, read)
