"""Reads one event per message, as in the GenAI conventions up to 1.36: log records with a body, or span events.

Azure's SDKs put the body of such an event as JSON into one attribute.

Source: https://github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md,
azure-ai-inference 1.0.0b9 (azure/ai/inference/tracing.py)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tracegrade.evaluators.model import Message

from ...spans.frozen import replace
from ...spans.span import Event, Span
from ...spans.step import Step
from ...spans.values import as_object
from .messages import message

__all__ = ["has_events", "split_message_events", "with_events"]

CHOICE = "gen_ai.choice"
CONTENT = "gen_ai.event.content"
_NOTHING = "[]"
"""What Strands writes for a message without content."""
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def has_events(span: Span) -> bool:
    return bool(span.events) and any(span.events_named(CHOICE, *_ROLES))


def with_events(span: Span, step: Step) -> Step:
    """Return `step` with the messages of the span's events, unless its attributes have some."""
    turns = tuple(_message(event, _ROLES[event.name or ""]) for event in span.events_named(*_ROLES))
    answers = tuple(_message(event, "assistant") for event in span.events_named(CHOICE))
    return replace(
        step,
        input=_with_instructions(step.input, turns),
        output=step.output if step.output is not None else answers or None,
        finish_reasons=step.finish_reasons or _reasons(span.events_named(CHOICE)),
    )


def _with_instructions(recorded: tuple[Message, ...] | None, turns: tuple[Message, ...]) -> tuple[Message, ...] | None:
    """Return the recorded messages, else those of events, after instructions if only these are recorded."""
    if recorded is None or not turns or any(message.role != "system" for message in recorded):
        return recorded if recorded is not None else turns or None
    return (*recorded, *(message for message in turns if message not in recorded))


def split_message_events(events: Any) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Split a list of events into messages of the input and of the output.

    Each has its `event.name`, or (as Logfire puts those of Google's SDK) the role of who said it, or else is a choice.
    """
    turns: list[Message] = []
    answers: list[Message] = []
    for event in events if isinstance(events, list) else []:
        if not isinstance(event, dict):
            continue
        name = event.get("event.name", _name_by_role(event))
        if name == CHOICE:
            answers.append(_message_of(event, "assistant"))
        elif name in _ROLES:
            turns.append(_message_of(event, _ROLES[name]))
    return tuple(turns), tuple(answers)


def _name_by_role(event: dict[str, Any]) -> str | None:
    if event.keys() & {"finish_reason", "message"}:
        return CHOICE
    return next((name for name, role in _ROLES.items() if role == event.get("role")), None)


def _message(event: Event, role: str) -> Message:
    """Return the message in an event: its body, or the attributes of a span event."""
    return _message_of(_event_fields(event), role)


def _event_fields(event: Event) -> dict[str, Any]:
    """Return the fields of an event, from attributes and body."""
    return {**event.attributes, **(as_object(event.attributes.get(CONTENT)) or {}), **(as_object(event.body) or {})}


def _message_of(fields: dict[str, Any], role: str) -> Message:
    inner = fields.get("message")
    is_text = isinstance(inner, str) and as_object(inner) is None
    fields = {"content": None if inner == _NOTHING else inner} if is_text else as_object(inner) or fields
    content = fields.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    if isinstance(parts, list):  # a Content of Google's, with a role of its own
        fields = {**fields, "content": None, "parts": parts}
    return message({"role": role, **{key: value for key, value in fields.items() if value is not None}})


def _reasons(choices: Iterable[Event]) -> tuple[str, ...] | None:
    reasons = (_event_fields(event).get("finish_reason") for event in choices)
    return tuple(reason for reason in reasons if isinstance(reason, str)) or None
