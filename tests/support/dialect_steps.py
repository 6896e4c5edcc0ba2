"""Steps as dialects read them from spans."""

from __future__ import annotations

from collections.abc import Iterable

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import Message

__all__ = ["list_texts", "read_step", "require_step"]


def read_step(span: Span, dialect: str | None = None) -> Step:
    """The step that a dialect reads from the span. Asserts that one does, and that it is this one if it is named."""
    reading = dialects.read(span)
    assert reading is not None
    name, step = reading
    assert dialect in {None, name}
    return step


def require_step(step: Step | None) -> Step:
    """The step, where a test expects that there is one."""
    assert step is not None
    return step


def list_texts(messages: Iterable[Message] | None) -> list[tuple[str, str | None]]:
    """Role and text of each message."""
    return [(message.role, message.text) for message in messages or ()]
