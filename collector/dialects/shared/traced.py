"""Reads functions that a platform's SDK traces: a tool is named by its span, with arguments and a returned value."""

from __future__ import annotations

from typing import Any

from ...spans.envelopes import call_arguments, tool_message
from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step, StepKind
from . import semconv
from .keys import Keys, read_step
from .parts import read_arguments

__all__ = ["read_traced", "read_traced_tool"]


def read_traced(span: Span, kind: StepKind, keys: Keys, *, arguments: Any) -> Step:
    """Return the step of a traced function, by `keys` and its `arguments`; an agent may be named by its span."""
    if kind == "tool":
        return read_traced_tool(span, read_step(span, kind, keys), arguments)
    step = semconv.read_conversation_step(span, kind, keys)
    return replace(step, agent_name=span.name or None) if kind == "agent" and step.agent_name is None else step


def read_traced_tool(span: Span, step: Step, arguments: Any) -> Step:
    """Return `step` with the function's `arguments`, and with the result in LangChain's ToolMessage."""
    result = tool_message(step.result)
    return replace(
        step,
        tool_name=step.tool_name or span.name,
        call_id=step.call_id or result.call_id,
        args=read_arguments(call_arguments(arguments)) if step.args is None else step.args,
        result=result.text,
        error=step.error or result.error,
    )
