"""The content of GenAI semantic conventions that span events carry, put among the attributes of their span."""

from __future__ import annotations

from typing import Any

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.values import decode_text
from .semconv_keys import DEFINITIONS, DETAILS, INPUT, OUTPUT, SYSTEM

__all__ = ["as_list", "with_event_content", "with_tool_events"]

_MESSAGE_EVENTS = {INPUT: INPUT, OUTPUT: OUTPUT, "gen_ai.system.instructions": SYSTEM}
"""Events of azure-ai-projects 2.10, with the key that their content, messages, would have on the span."""

_TOOL_EVENTS = ("gen_ai.tool.input", "gen_ai.tool.output")
"""Events that have a tool's arguments and result under the keys of its span (wandb/weave, semconv.py)."""

_ADDED = frozenset({DEFINITIONS})
"""Keys that are read from events even if the span has them: one event may only name the tools."""


def with_tool_events(span: Span) -> Span:
    """Return the span of a tool, its attributes completed by those of its events."""
    recorded = {key: value for event in span.events_named(*_TOOL_EVENTS) for key, value in event.attributes.items()}
    return replace(span, attributes={**recorded, **span.attributes}) if recorded else span


def with_event_content(span: Span) -> Span:
    """Return the span with the content of its events among its attributes; each event may carry a part of it."""
    if not span.events:
        return span
    content: dict[str, Any] = {}
    for event in span.events_named(DETAILS, *_MESSAGE_EVENTS):
        content_key = _MESSAGE_EVENTS.get(event.name or "")
        for key in (SYSTEM, INPUT, OUTPUT, DEFINITIONS):
            recorded, value = (
                span.first(key),
                event.attributes.get("gen_ai.event.content" if content_key == key else key),
            )
            if value is not None and (recorded is None or key in _ADDED):
                content[key] = [*content.get(key, as_list(recorded)), *as_list(value)]
    return replace(span, attributes={**span.attributes, **content}) if content else span


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    decoded = decode_text(value)
    return decoded if isinstance(decoded, list) else [decoded]
