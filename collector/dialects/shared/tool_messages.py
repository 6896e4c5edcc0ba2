"""Reads a tool's arguments and result from messages on its span: a call and the answer to it.

Source: strands-agents 1.20 to 1.62 (strands/telemetry/tracer.py), sentry-sdk 2.75 (integrations/google_genai/utils.py)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import ToolCallPart, ToolCallResponsePart

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import as_text, decode_text
from .messages import messages

__all__ = ["with_messages"]

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_JSON = "gen_ai.tool.output"
"""Under this key Sentry has every result as JSON, a text as well."""


def with_messages(step: Step, span: Span, detailed: Span) -> Step:
    """Return `step`, completed from the messages of `detailed`, the span with the content of its events."""
    if step.result is not None and step.result == span.attributes.get(_JSON):
        step = replace(step, result=as_text(decode_text(step.result)))
    if step.args is not None and step.result is not None:
        return step
    args = step.args if step.args is not None else _arguments(detailed.attributes.get(_INPUT))
    result = step.result if step.result is not None else _result(detailed.attributes.get(_OUTPUT))
    return step if (args, result) == (step.args, step.result) else replace(step, args=args, result=result)


def _arguments(value: Any) -> Any:
    parts = (part for message in messages(value) or () for part in message.parts)
    return next((part.arguments for part in parts if isinstance(part, ToolCallPart)), None)


def _result(value: Any) -> str | None:
    """Return the response in the answer, or the text of a message without one."""
    turns = messages(value) or ()
    parts = (part for message in turns for part in message.parts)
    answers = (part.response for part in parts if isinstance(part, ToolCallResponsePart))
    return next(answers, next((message.text for message in turns), None))
