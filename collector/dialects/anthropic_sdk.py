"""Anthropic's SDK, which traces itself: GenAI keys, with the result of a tool under a key of its own.

A call that continues a thread on the server has only the messages that are new to it. The platform's own spans, in
the same trace, repeat those of the client.

Source: anthropic 2.12.0 (anthropic/_tracing.py, anthropic/lib/_tracing)
"""

from __future__ import annotations

from ..spans.envelopes import content_blocks
from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import TRUNCATED
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys

__all__ = ["DIALECT"]

RESULT = "anthropic.tool_result.content"
_FAILED = "tool_error"
_KEYS = semconv.KEYS.before(
    Keys(
        session_id=("gen_ai.conversation.id", "anthropic.session.id"),
        finish_reasons=("anthropic.message.stop_reason",),
        result=(RESULT,),
    )
)


def read(span: Span) -> Step | None:
    step = semconv.read(span, _KEYS)
    if step is None:
        return None
    if span.attributes.get("anthropic.content.truncated") is True:
        step = replace(step, gaps=(*step.gaps, TRUNCATED))
    return _tool(step) if step.kind == "tool" else step


def _tool(step: Step) -> Step:
    """Return a call with the error in its result, as the span only has a status."""
    result = content_blocks(step.result)
    return replace(step, result=result, error=(result or step.error) if step.error == _FAILED else step.error)


DIALECT = Dialect(
    "anthropic_sdk",
    read,
    scopes=("com.anthropic.sdk.*", "com.anthropic.claude-platform*"),
    keys=(RESULT,),
    content="ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE=content",
    evidence=(Evidence("anthropic", "2.12", "recording"),),
)
