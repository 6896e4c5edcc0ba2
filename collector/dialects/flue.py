"""Flue: GenAI keys since 2.0; before, `flue.*` spans with Pi's messages.

Arguments and results that are no objects are under `flue.tool.call.*`. A task that the model delegates has no span of a
tool: the span of the sub-agent has the id of the call.

Source: @flue/opentelemetry 2.1 (dist/index.mjs) and 0.8 (packages/opentelemetry/src/index.ts of May 2026)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind
from ..spans.values import as_object, as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message, system_message
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(
        agent_name=("flue.task.agent",),
        input_value=("flue.workflow.payload", "flue.task.prompt"),
        output_value=("flue.workflow.result", "flue.task.result"),
        tool_name=("flue.tool.name",),
        call_id=("flue.tool.call_id",),
        args=("flue.tool.call.arguments", "flue.tool.arguments"),
        result=("flue.tool.call.result", "flue.tool.result"),
    )
)
_RUNS = frozenset({"prompt", "skill"})
_INPUT, _OUTPUT, _ANSWER = "flue.turn.input", "flue.turn.output", "flue.operation.result"


def read(span: Span) -> Step | None:
    if semconv.OPERATION not in span.attributes:
        return _early(span)
    step = semconv.read(span, _KEYS)
    return _turn(span, step) if step is not None and step.kind == "model" else step


def _early(span: Span) -> Step | None:
    """Return the step of a span before 2.0, in which only model calls have a GenAI operation."""
    kind = _kind(span)
    if kind is None:
        return None
    step = read_step(span, kind, _KEYS)
    if span.text("flue.operation.kind") is None:
        return step
    answer = decode_text(span.first(_ANSWER))
    return replace(step, output_text=as_text(answer.get("text", answer) if isinstance(answer, dict) else answer))


def _kind(span: Span) -> StepKind | None:
    if span.text("flue.tool.name"):
        return "tool"
    if span.name.startswith("flue.task") or span.text("flue.operation.kind") in _RUNS:
        return "agent"
    return "workflow" if span.text("flue.workflow.name") else None


def _turn(span: Span, step: Step) -> Step:
    """Return a model call, with its messages if they are Pi's."""
    request = as_object(span.first(_INPUT)) or {}
    history, answers = _read_history(request), _dicts(decode_text(span.first(_OUTPUT)))
    return replace(
        step,
        input=step.input or tuple(history) or None,
        output=step.output or tuple(map(_message, answers)) or None,
        definitions=step.definitions or read_definitions(request.get("tools")),
    )


def _read_history(request: dict[str, Any]) -> Iterator[Message]:
    if request.get("systemPrompt"):
        yield system_message(request["systemPrompt"])
    yield from map(_message, _dicts(request.get("messages")))


def _message(item: dict[str, Any]) -> Message:
    """Read a message of Pi's; a tool's result has the role `toolResult`."""
    if item.get("role") != "toolResult":
        return message(item)
    response = {"type": "tool_result", **item, "name": item.get("toolName")}
    return message({"role": "tool", "parts": [response]})


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    items = [value] if isinstance(value, dict) else value
    return (item for item in items if isinstance(item, dict)) if isinstance(items, list) else iter(())


DIALECT = Dialect(
    "flue",
    read,
    scopes=("@flue/opentelemetry",),
    keys=("flue.*",),
    content="createOpenTelemetryInstrumentation({ content: { enabled: true } })",
    evidence=(
        Evidence("@flue/opentelemetry", "2.1", "recording"),
        Evidence("@flue/opentelemetry", "0.8", "source"),
    ),
)
