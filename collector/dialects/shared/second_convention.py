"""Completes steps of spans that follow two conventions from their GenAI keys."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any

from ...spans.frozen import replace
from ...spans.span import Shape, Span
from ...spans.step import NO_USAGE, Step
from . import semconv
from .keys import Keys, read_step

__all__ = ["with_genai"]

_PREFIX = "gen_ai."

_KEYS = Keys(
    **{
        field.name: tuple(name for name in getattr(semconv.KEYS, field.name) if name.startswith(_PREFIX))
        for field in fields(Keys)
    }
)
"""The names of the conventions alone: what else a span has is its own dialect's to read."""

_CONTENT = frozenset(
    (*_KEYS.input, *_KEYS.output, *_KEYS.args, *_KEYS.result, *_KEYS.input_tokens, *_KEYS.request_model)
)
_MODEL_FIELDS = ("provider_name", "request_model", "response_model", "response_id", "finish_reasons", "definitions")
_TOOL_FIELDS = ("tool_name", "call_id", "args", "result", "error")


def with_genai(span: Span, step: Step) -> Step:
    """Return `step`, completed by the span's `gen_ai.*` keys; fields of the step are never changed."""
    if not _has_genai(span.shape):
        return step
    if step.kind == "tool":
        return _complete(step, read_step(span, "tool", _KEYS), _TOOL_FIELDS)
    if step.kind not in {"agent", "model"}:
        return step
    other = semconv.read_conversation_step(span, step.kind, _KEYS)
    sides = [side for side in ("input", "output") if getattr(step, side) is None and not getattr(step, f"{side}_text")]
    usage = {"usage": other.usage} if step.usage == NO_USAGE and other.usage != NO_USAGE else {}
    return _complete(step, other, (*_MODEL_FIELDS, *sides), **usage)


def _complete(step: Step, other: Step, fields: tuple[str, ...], **values: Any) -> Step:
    lacking = (field for field in fields if getattr(step, field) is None)
    values |= {field: value for field in lacking if (value := getattr(other, field)) is not None}
    if not values:
        return step
    gaps = dict.fromkeys((*step.gaps, *other.gaps))
    return replace(step, **values, gaps=tuple(gaps), unread=tuple(dict.fromkeys((*step.unread, *other.unread))))


@lru_cache(maxsize=4096)
def _has_genai(shape: Shape) -> bool:
    return not _CONTENT.isdisjoint(shape)
