"""Restores content that the AWS distribution of OpenTelemetry moved out of spans.

Under Amazon Bedrock AgentCore the exporter moves the content of a span into one log record, with the span's scope as
its event name and the body `{"input": {"messages": […]}, "output": {"messages": […]}}`. Each message is `{"role",
"content"}`: the value of an attribute, or the attributes of an event. The record does not name keys, but they follow
from the convention of the rest of the span and from the order: whole values first, then numbered ones. Of several
events with one name only the last is left.

Source: aws-opentelemetry-distro 0.21 (amazon/opentelemetry/distro/llo_handler.py)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...spans.frozen import replace
from ...spans.span import Event, Span
from ...spans.values import as_object, decode_text
from . import semconv

__all__ = ["with_moved_content"]

_EVENTS = {"system": "gen_ai.system.message", "user": "gen_ai.user.message", "tool": "gen_ai.tool.message"}
_CHOICE, _ASSISTANT = "gen_ai.choice", "gen_ai.assistant.message"
_OPENINFERENCE = "openinference.span.kind"
_ASKS = re.compile(r"toolUse|tool_call")
_ROLE = re.compile(r"(.+\.)(\d+)(\.(?:message\.)?)role")


@dataclass(frozen=True, slots=True)
class _Side:
    """The places of the content of one side of a span: a whole value, and numbered messages under a prefix."""

    body: str
    messages: str
    whole_value: Mapping[str, str]
    numbered: tuple[str, ...]


_INPUTS = _Side(
    "input",
    semconv.INPUT,
    {"input.mime_type": "input.value", "traceloop.span.kind": "traceloop.entity.input"},
    ("llm.input_messages.", "gen_ai.prompt."),
)
_OUTPUTS = _Side(
    "output",
    semconv.OUTPUT,
    {"output.mime_type": "output.value", "traceloop.span.kind": "traceloop.entity.output"},
    ("llm.output_messages.", "gen_ai.completion."),
)


def with_moved_content(span: Span) -> Span:
    """Return `span` with the content of its exporter's log record; the same span if there is none."""
    records = [event for event in span.events if _is_record(span, event)]
    if not records:
        return span
    attributes, events = dict(span.attributes), [event for event in span.events if event not in records]
    for record in records:
        body = as_object(record.body) or {}
        restored: list[Event] = []
        for side in (_INPUTS, _OUTPUTS):
            contents = list(_contents(body.get(side.body)))
            restored += [
                _restore_event(role, content, record) for role, content in contents if isinstance(content, dict)
            ]
            values = [(role, content) for role, content in contents if not isinstance(content, dict)]
            attributes = {**_restore_attributes(span, side, values), **attributes}
        events += _sort_events(restored)
    return replace(span, attributes=attributes, events=tuple(events))


def _is_record(span: Span, event: Event) -> bool:
    if not event.is_log or event.name not in {span.scope_name, None}:
        return False
    body = as_object(event.body) or {}
    return body.keys() <= {"input", "output"} and any(any(_contents(side)) for side in body.values())


def _contents(side: Any) -> Iterator[tuple[str, Any]]:
    messages = side.get("messages") if isinstance(side, dict) else None
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and isinstance(message.get("role"), str) and "content" in message:
            yield message["role"], message["content"]


def _restore_event(role: str, fields: dict[str, Any], record: Event) -> Event:
    """Return the span event that had these attributes."""
    is_choice = role == "assistant" and not fields.keys().isdisjoint({"message", "finish_reason"})
    name = _CHOICE if is_choice else _EVENTS.get(role, _ASSISTANT)
    return Event(name, record.time_ns, fields)


def _sort_events(events: Sequence[Event]) -> list[Event]:
    """Sort the last messages of each role: the answer of a tool only follows a message that requests tools."""
    asks = any(event.name == _ASSISTANT and _ASKS.search(str(event.attributes)) for event in events)
    order = ("system", "user", "assistant", "tool") if asks else ("system", "tool", "assistant", "user")
    places = {f"gen_ai.{role}.message": place for place, role in enumerate(order)}
    return sorted(events, key=lambda event: places.get(event.name or "", len(places)))


def _restore_attributes(span: Span, side: _Side, values: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the attributes that held these values; if unknown, messages of the conventions."""
    remaining = list(values)
    restored: dict[str, Any] = {}
    numbered = _keys_of_contents(span, side)
    whole_key = _key_of_whole_value(span, side, has_more=len(remaining) > len(numbered))
    if whole_key is not None and remaining:
        restored[whole_key] = remaining.pop(0)[1]
    if numbered and remaining:
        keys = _keys_with_content(span, numbered, len(remaining))
        restored |= dict(zip(keys, (content for _, content in remaining), strict=False))
        return restored
    for role, content in remaining:
        restored |= _restore_messages(side, role, content, restored)
    return restored


def _key_of_whole_value(span: Span, side: _Side, *, has_more: bool) -> str | None:
    """Return the key of the whole value; OpenInference mostly has its type beside it."""
    for mark, key in side.whole_value.items():
        if mark in span.attributes:
            return key
    return f"{side.body}.value" if has_more and _OPENINFERENCE in span.attributes else None


def _keys_of_contents(span: Span, side: _Side) -> list[str]:
    """Return the keys of the contents of numbered messages, whose roles are still there."""
    matches = (_ROLE.fullmatch(key) for key in span.attributes if key.startswith(side.numbered))
    keys = sorted((int(match[2]), match[1], match[3]) for match in matches if match is not None)
    return [f"{prefix}{number}{infix}content" for number, prefix, infix in keys]


def _keys_with_content(span: Span, keys: Sequence[str], count: int) -> list[str]:
    """Return the `count` keys that had a value: a message that requests tools mostly has no text."""
    if len(keys) == count:
        return list(keys)
    silent = [key for key in keys if span.under(f"{key.removesuffix('content')}tool_calls.")]
    saying = [key for key in keys if key not in silent]
    return saying if len(saying) == count else []


def _restore_messages(side: _Side, role: str, content: Any, restored: Mapping[str, Any]) -> dict[str, Any]:
    """Return whole messages, or instructions, as one attribute; any other text as a message of its own."""
    decoded = decode_text(content)
    items = decoded if isinstance(decoded, list) and decoded and all(isinstance(item, dict) for item in decoded) else []
    if role == "system" and (items or isinstance(content, str)):
        return {semconv.SYSTEM: content}
    turns = items if items and all("role" in item for item in items) else [{"role": role, "content": content}]
    return {side.messages: [*restored.get(side.messages, ()), *turns]}
