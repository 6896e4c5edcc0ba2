"""LlamaIndex, as OpenInference records it: results as ToolOutput, workflows that tell nothing of the conversation.

Source: openinference-instrumentation-llama-index 4.6 (https://github.com/Arize-ai/openinference)
"""

from __future__ import annotations

from dataclasses import replace

from ..span import Span
from ..step import Step
from ..values import as_object, as_text, decode_text
from . import inference
from .base import Dialect, arguments

__all__ = ["LLAMA_INDEX"]

_PREPARES = "_prepare_chat_with_tools"


def read(span: Span) -> Step | None:
    step = inference.read(span)
    if step is None or span.name.endswith(_PREPARES):
        return None
    if step.kind == "tool":
        return _tool(span, step)
    if step.kind in {"agent", "workflow"}:
        return replace(step, input=None, output=None, input_text=None, output_text=None)
    return step


def _tool(span: Span, step: Step) -> Step:
    called = as_object(span.first("input.value")) or {}
    args = called["kwargs"] if called.keys() == {"kwargs"} else step.args
    output = as_object(step.result)
    if output is None or "raw_output" not in output:
        return replace(step, args=arguments(args))
    result = as_text(decode_text(output["raw_output"])) if output["raw_output"] != "" else ""
    failed = (result or "error") if output.get("is_error") is True else None
    return replace(step, args=arguments(args), result=result, error=step.error or failed)


LLAMA_INDEX = Dialect("llama_index", read, scopes=("openinference.instrumentation.llama_index",))
