"""LlamaIndex, as OpenLLMetry records it: workflows and tasks, whose outputs are LlamaIndex's own objects.

The workflow is the run, a task with the name of a tool is a call of it, and a task with an operation a model call. The
messages of model calls lack what a model asks for; the output beside them has it.

Source: opentelemetry-instrumentation-llamaindex 0.62 (custom_llm_instrumentor.py, dispatcher_wrapper.py),
llama-index-core 0.14.25 (base/llms/types.py, tools/types.py, agent/workflow/workflow_events.py)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from ..spans.values import as_object, as_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.tool_definitions import read_definitions

__all__ = ["DIALECT"]

_INPUT, _OUTPUT = "traceloop.entity.input", "traceloop.entity.output"
_TOOL_KEYS = Keys(tool_name=("tool.name",), args=("tool.arguments",))


def read(span: Span) -> Step | None:
    """Return the step of the span; other tasks only give structure."""
    if span.text("tool.name") is not None:
        return _tool(span)
    kind = semconv.kind_of(span)
    if kind == "model":
        return _model(span)
    return _run(span) if span.text("traceloop.span.kind") == "workflow" else None


def _run(span: Span) -> Step:
    result = _as_fields(_as_fields(span.first(_OUTPUT)).get("result"))
    return replace(
        semconv.read_conversation_step(span, "agent"),
        agent_name=as_text(result.get("current_agent_name")),
        output_text=_text(result.get("response")),
    )


def _tool(span: Span) -> Step:
    step = read_step(span, "tool", _TOOL_KEYS)
    output = _as_fields(span.first(_OUTPUT))
    tool_output = _as_fields(output.get("tool_output"))
    result = _text(tool_output)
    error = result or "error" if tool_output.get("is_error") is True else step.error
    return replace(step, call_id=as_text(output.get("tool_id")), result=result, error=error)


def _model(span: Span) -> Step:
    step = semconv.read_conversation_step(span, "model")
    answer = _as_fields(_as_fields(span.first(_OUTPUT)).get("message"))
    is_empty = not any(turn.parts for turn in step.output or ())
    tools = _as_fields(_as_fields(span.first(_INPUT)).get("kwargs")).get("tools")
    return replace(
        step,
        output=(_message(answer),) if answer and is_empty else step.output,
        definitions=step.definitions or read_definitions(tools),
    )


def _message(fields: dict[str, Any]) -> Message:
    return message({"role": fields.get("role"), "parts": [_part(block) for block in _blocks(fields)]})


def _part(block: dict[str, Any]) -> dict[str, Any]:
    if block.get("block_type") != "tool_call":
        return {**block, "type": block.get("block_type")}
    call = {"id": block.get("tool_call_id"), "name": block.get("tool_name"), "arguments": block.get("tool_kwargs")}
    return {"type": "tool_call", **call}


def _text(fields: Any) -> str | None:
    """Return the text of a message, or of a tool's result; None if it has none."""
    texts = [block["text"] for block in _blocks(_as_fields(fields)) if isinstance(block.get("text"), str)]
    return "\n".join(texts) if texts else None


def _blocks(fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    blocks = fields.get("blocks")
    return (block for block in blocks if isinstance(block, dict)) if isinstance(blocks, list) else iter(())


def _as_fields(value: Any) -> dict[str, Any]:
    return as_object(value) or {}


DIALECT = Dialect(
    "llama_index_openllmetry",
    read,
    scopes=("opentelemetry.instrumentation.llamaindex",),
    content="TRACELOOP_TRACE_CONTENT=true",
    evidence=(Evidence("opentelemetry-instrumentation-llamaindex", "0.62", "recording"),),
)
