"""smolagents, as OpenInference records it: the final answer is a tool, and stays one only on the wire.

Source: openinference-instrumentation-smolagents 0.1 (https://github.com/Arize-ai/openinference)
"""

from __future__ import annotations

from dataclasses import replace

from ..span import Span
from ..step import Step
from ..values import as_object, as_text
from . import inference
from .base import Dialect

__all__ = ["SMOLAGENTS"]

_FINAL = "final_answer"


def read(span: Span) -> Step | None:
    step = inference.read(span)
    if step is None or (step.kind == "tool" and step.tool_name == _FINAL):
        return None
    if step.kind != "agent":
        return step
    task = (as_object(span.first("input.value")) or {}).get("task")
    return replace(step, input_text=as_text(task) if task is not None else step.input_text)


SMOLAGENTS = Dialect("smolagents", read, scopes=("openinference.instrumentation.smolagents",))
