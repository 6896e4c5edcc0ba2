"""BeeAI, as OpenInference records it: the events of a step are spans of the same kind below it.

Source: openinference-instrumentation-beeai 0.1.30 (`_span.py`, `processors`), beeai-framework 0.1.85
"""

from __future__ import annotations

from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import openinference
from .shared.dialect import Dialect, Evidence

__all__ = ["DIALECT"]

_NAMES = {"agent": "agent.name", "model": "llm.model_name", "tool": "tool.name"}
"""Attributes of a step that the spans of its events, which repeat its kind, lack."""

_ENVELOPE = {"input", "options"}
"""The parameters of `Tool.run`, which are recorded instead of the arguments."""


def read(span: Span) -> Step | None:
    """Return the step of the span; the spans of events (`error`, `retry`, `final_answer`, …) only give structure."""
    step = openinference.read(span)
    if step is None or span.text(_NAMES.get(step.kind, openinference.KIND)) is None:
        return None
    if step.kind == "tool":
        return replace(step, args=_arguments(step.args), result=None if step.error else step.result)
    return replace(step, output=None, output_text=None) if step.error and step.kind == "agent" else step


def _arguments(value: Any) -> Any:
    is_wrapped = isinstance(value, dict) and value.keys() == _ENVELOPE and isinstance(value["input"], dict)
    return value["input"] if is_wrapped else value


DIALECT = Dialect(
    "beeai",
    read,
    scopes=("openinference.instrumentation.beeai",),
    content=openinference.CONTENT,
    evidence=(Evidence("openinference-instrumentation-beeai", "0.1", "recording"),),
)
