"""Marks content that an exporter cut off at its limit for attributes, in any dialect."""

from __future__ import annotations

import re

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import SHORTEST_LIMIT, TRUNCATED, was_cut

__all__ = ["with_truncated"]

_DATA = ('{"', '[{"', '["', "[{'")
"""How JSON, or the repr of data, begins that an instrumentation wrote; other texts in brackets are prompts, mostly."""

_STATE = re.compile(r'\s*[\[{][\s\[{]*["\'](?:messages|inputs|outputs?|role|parts|type|lc|generations|choices)["\']')
"""How the state of a graph begins, or a list of messages, which no answer is."""


def with_truncated(span: Span, step: Step) -> Step:
    """Return `step` with a gap for the attributes of `span` that began as JSON and end in the middle of it."""
    cut = _cut(span)
    if not cut:
        return step
    step = _without_cut_texts(step)
    names = [name for name in cut if name not in step.unread]
    if not names:
        return step
    gaps = step.gaps if TRUNCATED in step.gaps else (*step.gaps, TRUNCATED)
    return replace(step, gaps=gaps, unread=(*step.unread, *names))


def _without_cut_texts(step: Step) -> Step:
    """Return `step` without a request that is the beginning of some JSON, or an answer that is that of a state."""
    if step.input_text is not None and was_cut(step.input_text):
        step = replace(step, input_text=None)
    if step.output_text is not None and was_cut(step.output_text) and _STATE.match(step.output_text):
        step = replace(step, output_text=None)
    return step


def _cut(span: Span) -> list[str]:
    return [
        name
        for name, value in span.attributes.items()
        if isinstance(value, str) and len(value) >= SHORTEST_LIMIT and value[-1] not in "}]"  # most are whole
        if value.startswith(_DATA) and was_cut(value)
    ]
