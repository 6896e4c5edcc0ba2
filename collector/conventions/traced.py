"""Functions that a platform's SDK traces: a tool is named by its span, given arguments, and gives back a value."""

from __future__ import annotations

from typing import Any

from ..envelopes import call_arguments, tool_message
from ..frozen import replace
from ..span import Span
from ..step import Step
from .parts import arguments

__all__ = ["traced_tool"]


def traced_tool(span: Span, step: Step, given: Any) -> Step:
    """`step` with what the function was `given`, and with the result out of LangChain's ToolMessage where it is one."""
    result = tool_message(step.result)
    return replace(
        step,
        tool_name=step.tool_name or span.name,
        call_id=step.call_id or result.call_id,
        args=arguments(call_arguments(given)) if step.args is None else step.args,
        result=result.text,
        error=step.error or result.error,
    )
