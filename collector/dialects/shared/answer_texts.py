"""A model's answer as texts with its tool calls beside them, as Sentry wrote it before there were messages.

Source: sentry-sdk 2.30 to 2.75 (sentry_sdk/consts.py; integrations/openai_agents/utils.py, integrations/langchain.py,
integrations/langgraph.py)
"""

from __future__ import annotations

from typing import Any

from ...spans.frozen import replace
from ...spans.span import Span
from ...spans.step import Step
from ...spans.values import decode_text
from .messages import message

__all__ = ["with_answer"]

_TEXTS, _CALLS = ("gen_ai.response.text", "gen_ai.response.content", "gen_ai.output.text"), "gen_ai.response.tool_calls"


def with_answer(step: Step, span: Span) -> Step:
    """Return `step` with that answer, if it has no other; the answer of a run consists of the texts alone."""
    if step.output is not None:
        return step
    text, calls = span.first(*_TEXTS), span.first(_CALLS)
    if text is None and calls is None:
        return step
    requested = decode_text(calls) if step.kind == "model" else None
    requests = [requested] if isinstance(requested, dict) else requested
    turn = message({"role": "assistant", "content": _texts(text), "tool_calls": requests})
    return replace(step, output=(turn,)) if turn.parts else step


def _texts(value: Any) -> Any:
    """Return the texts in lists of them or of messages; any other object is the answer itself."""
    content = decode_text(value)
    if isinstance(content, list):
        texts = [_texts(item) for item in content]
        return [text for inner in texts for text in (inner if isinstance(inner, list) else [inner])]
    is_message = isinstance(content, dict) and "content" in content and content.keys() <= {"role", "content", "type"}
    return _texts(content["content"]) if is_message else value
