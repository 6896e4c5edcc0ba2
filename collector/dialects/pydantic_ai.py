"""Pydantic AI (and Logfire): GenAI keys; the history of a run and its final result under keys of its own.

Source: pydantic-ai-slim 1.107 and 2.68 (pydantic_ai/models/instrumented.py), instrumentation versions 1 to 6
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import Message, ToolCallPart

from ..span import Span
from ..step import NO_USAGE, Step
from ..values import decode_text
from . import semconv
from .base import Dialect, messages
from .keys import Keys
from .semconv_events import message_events

__all__ = ["PYDANTIC_AI"]

_KEYS = semconv.KEYS.before(
    Keys(agent_name=("agent_name",), args=("tool_arguments",), result=("tool_response",), output_text=("final_result",))
)
_INVALID = "INVALID_JSON"


def read(span: Span) -> Step | None:
    if span.name == "agent run" and semconv.kind_of(span) is None:
        step: Step | None = semconv.spoken_step(span, "agent", _KEYS)
    else:
        step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return replace(step, args=_as_written(step.args), error=None if _is_deferred(span) else step.error)
    if step.kind == "model":
        return _model(span, step)
    return _run(span, step)


def _is_deferred(span: Span) -> bool:
    return span.first("pydantic_ai.tool.deferral.name") is not None


def _model(span: Span, step: Step) -> Step:
    said, chosen = message_events(decode_text(span.first("events")))
    return replace(
        step,
        input=step.input if step.input is not None else said or None,
        output=_corrected(step.output if step.output is not None else chosen or None),
    )


def _run(span: Span, step: Step) -> Step:
    """The history holds earlier turns; this run begins at `pydantic_ai.new_message_index`."""
    history = messages(span.first("pydantic_ai.all_messages", "all_messages"))
    if history is None:
        said, chosen = message_events(decode_text(span.first("all_messages_events")))
        history = (*said, *chosen) or None
    begins = span.count("pydantic_ai.new_message_index") or 0
    return replace(
        step,
        usage=NO_USAGE,
        input=_with_history(step.input, history[begins:] if history else ()),
    )


def _with_history(given: tuple[Message, ...] | None, history: tuple[Message, ...]) -> tuple[Message, ...] | None:
    """Where the run's own input is but its instructions, the history tells what was asked."""
    if given is not None and any(one.role != "system" for one in given):
        return given
    return (*(given or ()), *history) or None


def _as_written(args: Any) -> Any:
    """Arguments that were no JSON come wrapped as `{"INVALID_JSON": text}`."""
    return args[_INVALID] if isinstance(args, dict) and args.keys() == {_INVALID} else args


def _corrected(output: tuple[Message, ...] | None) -> tuple[Message, ...] | None:
    if output is None:
        return None
    return tuple(
        one.model_copy(update={"parts": tuple(_part(part) for part in one.parts)}) if one.tool_calls else one
        for one in output
    )


def _part(part: Any) -> Any:
    return (
        part.model_copy(update={"arguments": _as_written(part.arguments)}) if isinstance(part, ToolCallPart) else part
    )


PYDANTIC_AI = Dialect(
    "pydantic_ai", read, scopes=("pydantic-ai",), content="InstrumentationSettings(include_content=True)"
)
