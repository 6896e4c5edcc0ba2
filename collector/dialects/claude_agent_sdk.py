"""The Claude Agent SDK, as OpenInference records it: a run and its tool calls; the run has the model's messages.

Source: openinference-instrumentation-claude-agent-sdk 0.1.22 (`_wrappers.py`), claude-agent-sdk 0.2.187
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openinference
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_TEXT = re.compile(r"(llm\.output_messages\.\d+\.message\.content)\.(\d+)")
_BLOCK = re.compile(r"(llm\.output_messages\.\d+\.message)\.contents\.(\d+)\.(tool_call\..+)")


def read(span: Span) -> Step | None:
    step = openinference.read(span)
    if step is None or step.kind != "agent":
        return step
    answer = openinference.read(replace(span, attributes=dict(_as_model_call(span.attributes))))
    if answer is None or not answer.output:
        return step
    return replace(step, output=answer.output, request_model=answer.request_model, finish_reasons=answer.finish_reasons)


def _as_model_call(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a model call, in which texts and tool calls are numbered differently."""
    for key, value in attributes.items():
        if text := _TEXT.fullmatch(key):
            yield f"{text[1]}s.{text[2]}.message_content.text", value
        elif block := _BLOCK.fullmatch(key):
            yield f"{block[1]}.tool_calls.{block[2]}.{block[3]}", value
        else:
            yield key, value
    yield openinference.KIND, "LLM"


DIALECT = Dialect(
    "claude_agent_sdk",
    read,
    scopes=("openinference.instrumentation.claude_agent_sdk",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-claude-agent-sdk", "0.1", "recording"),),
)
