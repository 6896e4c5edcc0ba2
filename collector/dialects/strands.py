"""AWS Strands: GenAI keys, with Bedrock's content blocks in results and, in its older mode, in events.

Source: strands-agents 1.62 (strands/telemetry/tracer.py)
"""

from __future__ import annotations

from dataclasses import replace

from ..envelopes import content_blocks
from ..span import Span
from ..step import Step
from . import semconv
from .base import Dialect, arguments
from .keys import Keys
from .semconv_events import with_events

__all__ = ["STRANDS"]

_KEYS = semconv.KEYS.before(
    Keys(tool_description=("gen_ai.tool.description",), tool_schema=("gen_ai.tool.json_schema",))
)


def read(span: Span) -> Step | None:
    step = semconv.read(span, _KEYS)
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
    )


STRANDS = Dialect("strands", read, scopes=("strands.telemetry.tracer",))
