"""OpenTelemetry GenAI up to 1.36: one event a message, as a log record with a body or as a span event.

Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import Message

from ..span import Event, Span
from ..step import Step
from ..values import as_object
from . import semconv
from .base import Dialect, message

__all__ = ["GENAI_EVENTS"]

CHOICE = "gen_ai.choice"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def speaks(span: Span) -> bool:
    return semconv.kind_of(span) in {"agent", "workflow", "model"} and any(span.named(CHOICE, *_ROLES))


def read(span: Span) -> Step | None:
    step = semconv.read(span)
    if step is None:
        return None
    said = tuple(_message(event, _ROLES[event.name or ""]) for event in span.named(*_ROLES))
    chosen = tuple(_message(event, "assistant") for event in span.named(CHOICE))
    return replace(
        step,
        input=step.input if step.input is not None else said or None,
        output=step.output if step.output is not None else chosen or None,
        finish_reasons=step.finish_reasons or _reasons(span.named(CHOICE)),
    )


def _message(event: Event, role: str) -> Message:
    """The message in an event: its body, or its attributes where a span event carries it."""
    fields: dict[str, Any] = {**event.attributes, **(as_object(event.body) or {})}
    inner = as_object(fields.get("message"))
    return message({"role": role, **{key: value for key, value in (inner or fields).items() if value is not None}})


def _reasons(choices: Iterable[Event]) -> tuple[str, ...] | None:
    found = (({**event.attributes, **(as_object(event.body) or {})}).get("finish_reason") for event in choices)
    return tuple(reason for reason in found if isinstance(reason, str)) or None


GENAI_EVENTS = Dialect("genai_events", speaks, read)
