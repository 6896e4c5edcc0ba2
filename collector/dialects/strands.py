"""AWS Strands: GenAI keys, with Bedrock's content blocks in results and, in its older mode, in events.

Since 1.20 a call's own messages may stand in events (`gen_ai.client.inference.operation.details`) or attributes. 0.1
has `gen_ai.prompt` and `gen_ai.completion` on every span, no operation names, and the tool's call under `tool.*`; its
scope is the service's name, so that its spans are recognised by the time that all versions write.

Source: strands-agents 0.1.6, 0.2.1, 1.0, 1.8, 1.20, 1.40 and 1.62 (strands/telemetry/tracer.py), and
@strands-agents/sdk 1.19
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.control_flow import question_of
from ..spans.envelopes import content_blocks
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message, messages
from .shared.parts import read_arguments
from .shared.prompts import with_prompts
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(
        instructions=("system_prompt",),
        tool_description=("gen_ai.tool.description",),
        tool_schema=("gen_ai.tool.json_schema",),
    )
)
_OLD_KEYS = _KEYS.before(
    Keys(
        agent_name=("gen_ai.agent.name", "agent.name"),
        definitions=("gen_ai.agent.tools", "agent.tools"),
        tool_name=("tool.name",),
        call_id=("tool.id",),
        args=("tool.parameters",),
        result=("tool.result",),
    )
)
_OLD_MODEL = "Model invoke"
_CYCLE = "event_loop.cycle_id"

_INTERRUPT = "interrupt"
"""The reason of an agent that stopped to wait for a person."""
_TOOL_USE = "toolUse"
"""The reason of an agent whose answer is the result of its last call: a structured output."""


def read(span: Span) -> Step | None:
    if span.text(semconv.OPERATION) is None:
        return _read_old(span)
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return _tool(span, step)
    step = with_events(span, step)
    reasons = {*_reasons(span, step)} if step.kind == "agent" else set()
    if _INTERRUPT in reasons:
        return replace(step, interrupt=_question(step), output=None, output_text=None)
    is_empty = _TOOL_USE in reasons and not any(message.text for message in step.output or ())
    return replace(step, output=None, output_text=None) if is_empty else step


def _read_old(span: Span) -> Step | None:
    """Read a span of 0.1; a cycle of the event loop repeats the content of the spans below it."""
    if span.text("tool.name"):
        return _tool(span, read_step(span, "tool", _OLD_KEYS))
    is_model = span.name == _OLD_MODEL
    is_cycle = span.first(_CYCLE) is not None and not is_model
    if is_cycle or span.text("agent.name", "gen_ai.agent.name") is None:
        return None
    step = read_step(span, "model" if is_model else "agent", _OLD_KEYS)
    prompt, completion = span.first("gen_ai.prompt"), span.first("gen_ai.completion")
    if prompt is None and completion is None and is_model:
        return with_prompts(span, step)
    if step.kind == "agent":
        return replace(step, input_text=as_text(prompt), output_text=as_text(completion))
    return replace(step, input=messages(prompt), output=_answer(completion))


def _answer(blocks: Any) -> tuple[Message, ...] | None:
    return (message({"role": "assistant", "content": blocks}),) if blocks is not None else None


def _question(step: Step) -> str:
    """Return the questions of interrupts, which replace the answer as a repr: `[{"id", "name", "reason"}]`."""
    interrupts = decode_text(step.output[-1].text) if step.output else None
    requests = [request for request in interrupts if isinstance(request, dict)] if isinstance(interrupts, list) else []
    return ", ".join(text for request in requests if (text := question_of(request.get("reason"))))


def _reasons(span: Span, step: Step) -> Iterator[str]:
    """Yield why the agent stopped; in its newer mode the messages of an event have it."""
    yield from step.finish_reasons or ()
    for event in span.events_named(semconv.DETAILS):
        output = decode_text(event.attributes.get(semconv.OUTPUT))
        messages = output if isinstance(output, list) else []
        yield from (str(message.get("finish_reason")) for message in messages if isinstance(message, dict))


def _tool(span: Span, step: Step) -> Step:
    """Return a call; in older versions the tool message has its arguments, and its choice is the result."""
    arguments = next((event.attributes.get("content") for event in span.events_named("gen_ai.tool.message")), None)
    choice = next((event.attributes.get("message") for event in span.events_named("gen_ai.choice")), None)
    result = content_blocks(step.result if step.result is not None else choice)
    failed = (result or "error") if span.text("gen_ai.tool.status", "tool.status") == "error" else None
    return replace(
        step,
        args=step.args if step.args is not None else read_arguments(arguments),
        result=result,
        error=step.error or failed,
    )


DIALECT = Dialect(
    "strands",
    read,
    scopes=("strands.telemetry.tracer", "strands-agents"),
    keys=("gen_ai.event.start_time",),
    evidence=(
        Evidence("strands-agents", "0.1, 1.8, 1.62", "recording"),
        Evidence("strands-agents", "0.2 to 1.40", "source"),
        Evidence("@strands-agents/sdk", "1.19", "recording"),
    ),
)
