"""AWS Strands: GenAI keys, with Bedrock's content blocks in results and, in its older mode, in events.

Source: strands-agents 1.62 (strands/telemetry/tracer.py)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..control_flow import question_of
from ..conventions import semconv
from ..conventions.keys import Keys
from ..conventions.messages import arguments
from ..conventions.semconv_events import with_events
from ..dialect import Dialect, Evidence
from ..envelopes import content_blocks
from ..span import Span
from ..step import Step
from ..values import decode_text

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(tool_description=("gen_ai.tool.description",), tool_schema=("gen_ai.tool.json_schema",))
)

_INTERRUPT = "interrupt"
"""The reason for which an agent stopped where a person has to answer first."""


def read(span: Span) -> Step | None:
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return _tool(span, step)
    step = with_events(span, step)
    is_waiting = step.kind == "agent" and _INTERRUPT in _reasons(span, step)
    return replace(step, interrupt=_question(step), output=None, output_text=None) if is_waiting else step


def _question(step: Step) -> str:
    """What the interrupts ask that stand, as a repr, where the answer would: `[{"id", "name", "reason"}]`."""
    held = decode_text(step.output[-1].text) if step.output else None
    asked = [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
    return ", ".join(text for one in asked if (text := question_of(one.get("reason"))))


def _reasons(span: Span, step: Step) -> Iterator[str]:
    """Why the agent stopped; in its newer mode that stands in the messages of an event."""
    yield from step.finish_reasons or ()
    for event in span.named(semconv.DETAILS):
        said = decode_text(event.attributes.get(semconv.OUTPUT))
        yield from (str(one.get("finish_reason")) for one in said or () if isinstance(one, dict))


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


DIALECT = Dialect(
    "strands",
    read,
    scopes=("strands.telemetry.tracer",),
    evidence=(Evidence("strands-agents", "1.62", "recording"),),
)
