"""Pydantic AI (and Logfire): GenAI keys; the history of a run and its final result under keys of its own.

Source: pydantic-ai-slim 1.107 and 2.68 (pydantic_ai/models/instrumented.py), instrumentation versions 1 to 6
"""

from __future__ import annotations

from dataclasses import replace

from tracegrade.evaluators.model import Message

from ..conventions import semconv
from ..conventions.keys import Keys
from ..conventions.messages import messages
from ..conventions.semconv_events import message_events, with_events
from ..dialect import Dialect, Evidence
from ..span import Span
from ..step import NO_USAGE, Step
from ..values import as_object, decode_text

__all__ = ["DIALECT"]

_KEYS = semconv.KEYS.before(
    Keys(
        agent_name=("agent_name",),
        cost_usd=("operation.cost",),
        args=("tool_arguments",),
        result=("tool_response",),
        output_text=("final_result",),
    )
)


def read(span: Span) -> Step | None:
    if span.name == "agent run" and semconv.kind_of(span) is None:
        step: Step | None = semconv.spoken_step(span, "agent", _KEYS)
    else:
        step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if step.kind == "tool":
        return replace(step, error=None, interrupt=step.tool_name) if _is_deferred(span) else step
    return _model(span, step) if step.kind == "model" else _run(span, step)


def _is_deferred(span: Span) -> bool:
    return span.first("pydantic_ai.tool.deferral.name") is not None


def _model(span: Span, step: Step) -> Step:
    """Version 1 of the format: one event a message, all of them in an attribute or each in a log record."""
    said, chosen = message_events(decode_text(span.first("events")))
    told = replace(
        step,
        input=step.input if step.input is not None else said or None,
        output=step.output if step.output is not None else chosen or None,
    )
    return with_events(span, told)


def _run(span: Span, step: Step) -> Step:
    """The history holds earlier turns; this run begins at `pydantic_ai.new_message_index`."""
    history = messages(span.first("pydantic_ai.all_messages", "all_messages"))
    if history is None:
        said, chosen = message_events(decode_text(span.first("all_messages_events")))
        history = (*said, *chosen) or None
    begins = span.count("pydantic_ai.new_message_index") or 0
    deferred = _deferred(step.output_text)
    return replace(
        step,
        usage=NO_USAGE,
        interrupt=deferred,
        output_text=step.output_text if deferred is None else None,
        input=_with_history(step.input, history[begins:] if history else ()),
    )


def _deferred(result: str | None) -> str | None:
    """The tools whose calls the run ended with: its result is a `DeferredToolRequests`, and no answer."""
    requests = as_object(result)
    if requests is None or not {"calls", "approvals"} <= requests.keys():
        return None
    calls = [*(requests["approvals"] or ()), *(requests["calls"] or ())]
    return ", ".join(dict.fromkeys(str(call["tool_name"]) for call in calls if "tool_name" in (as_object(call) or ())))


def _with_history(given: tuple[Message, ...] | None, history: tuple[Message, ...]) -> tuple[Message, ...] | None:
    """Where the run's own input is but its instructions, the history tells what was asked."""
    if given is not None and any(one.role != "system" for one in given):
        return given
    return (*(given or ()), *history) or None


DIALECT = Dialect(
    "pydantic_ai",
    read,
    scopes=("pydantic-ai",),
    content="InstrumentationSettings(include_content=True)",
    evidence=(Evidence("pydantic-ai-slim", "1.107, 2.68", "recording"),),
)
