"""Marks content that an exporter cut off at its limit for attributes, in any dialect."""

from __future__ import annotations

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import SHORTEST_LIMIT, TRUNCATED, was_cut

__all__ = ["with_truncated"]

_DATA = ('{"', '[{"', '["', "[{'")
"""How JSON, or the repr of data, begins that an instrumentation wrote; other texts in brackets are prompts, mostly."""


def with_truncated(span: Span, step: Step) -> Step:
    """Return `step` with a gap for the attributes of `span` that began as JSON and end in the middle of it."""
    cut = _cut(span)
    names = [name for name in cut if name not in step.unread] if cut else cut
    if not names:
        return step
    gaps = step.gaps if TRUNCATED in step.gaps else (*step.gaps, TRUNCATED)
    return replace(step, gaps=gaps, unread=(*step.unread, *names))


def _cut(span: Span) -> list[str]:
    return [
        name
        for name, value in span.attributes.items()
        if isinstance(value, str) and len(value) >= SHORTEST_LIMIT and value[-1] not in "}]"  # most are whole
        if value.startswith(_DATA) and was_cut(value)
    ]
