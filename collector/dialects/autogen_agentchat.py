"""AutoGen's AgentChat, as OpenInference records it: the messages to an agent as reprs, with tools' answers as JSON.

The runs of agents and tools are recorded a second time by AutoGen itself, without content (scope `autogen-core`).
Source: openinference-instrumentation-autogen-agentchat 0.1.22 (`_wrappers.py`), autogen-agentchat 0.7.5
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message, ToolCallResponsePart

from ..spans.envelopes import parse_printed
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text, decode_text
from .shared import openinference
from .shared.dialect import Dialect, Evidence
from .shared.messages import collect_indexed

__all__ = ["DIALECT"]

_ROLES = {"function": "tool"}


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None:
        return None
    match step.kind:
        case "tool":
            return _tool(span, step)
        case "model":
            return _model(span, step)
        case "agent":
            name = step.agent_name or span.text("graph.node.id") or span.name.removesuffix(".on_messages_stream")
            return replace(step, agent_name=name, input=None, input_text=None)
        case "workflow":
            return _team(span, step)
    return step


def _tool(span: Span, step: Step) -> Step:
    """Return a call; its failure is the span's status, the message of the failure its output."""
    agent_name = step.agent_name or span.name.removesuffix(f".{step.tool_name}") or None
    error = step.error and (step.result or step.error)
    return replace(step, agent_name=agent_name, result=parse_printed(step.result), error=error, definitions=None)


def _model(span: Span, step: Step) -> Step:
    answer = as_object(span.first("output.value")) or {}
    reason = answer.get("finish_reason")
    fields = collect_indexed(span.under("llm.input_messages."))
    turns = tuple(_message(turn, content) for turn, content in zip(step.input or (), fields, strict=False))
    return replace(step, input=turns or None, finish_reasons=(reason,) if isinstance(reason, str) else None)


def _message(message: Message, fields: dict[str, Any]) -> Message:
    role = _ROLES.get(message.role, message.role)
    return message.model_copy(update={"role": role, "parts": (*message.parts, *_answers(fields))})


def _answers(fields: dict[str, Any]) -> Iterator[ToolCallResponsePart]:
    """Yield tools' answers: `function.0` is `{"name", "content", "call_id", "is_error"}`, and so on."""
    for position in range(len(fields)):
        answer = as_object(fields.get(f"function.{position}"))
        if answer is None:
            return
        yield ToolCallResponsePart(
            id=as_text(answer.get("call_id")),
            name=as_text(answer.get("name")),
            response=as_text(answer.get("content")),
            is_error=answer.get("is_error") is True,
        )


def _team(span: Span, step: Step) -> Step:
    """Return a team's task, a text or messages, and its last messages."""
    inputs, outputs = as_object(span.first("input.value")) or {}, as_object(span.first("output.value")) or {}
    return replace(
        step,
        input=None,
        output=None,
        input_text=_last_text(inputs.get("task")),
        output_text=_last_text(outputs.get("messages")),
    )


def _last_text(value: Any) -> str | None:
    turns = decode_text(value)
    messages = turns if isinstance(turns, list) else [turns]
    texts = [turn.get("content") if isinstance(turn, dict) else turn for turn in messages]
    return next((text for text in reversed(texts) if isinstance(text, str)), None)


DIALECT = Dialect(
    "autogen_agentchat",
    read,
    scopes=("openinference.instrumentation.autogen_agentchat",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-autogen-agentchat", "0.1", "recording"),),
)
