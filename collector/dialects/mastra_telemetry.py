"""Mastra's telemetry before version 1: a span for each method of an agent, with its arguments and its result.

`agent.generate` and its like are the runs. With models of AI SDK 4 the calls within are spans of the AI SDK. With those
of version 5 Mastra runs the loop itself: `mastra.stream` tells the run again, with the tokens of its last step alone;
each call of a model is the step `llm-execution` of a workflow, each call of a tool `mastra.stream.toolCall`.

Source: @mastra/core 0.10 and 0.18 (telemetry/telemetry.decorators, loop, agent)
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, Usage
from ..spans.values import as_object, as_text, decode_text
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.messages import message
from .shared.request import read_request
from .shared.tool_definitions import read_definitions
from .shared.usage import read_usage

__all__ = ["DIALECT"]

_RUNS = tuple(f"agent.{method}{suffix}" for method in ("generate", "stream") for suffix in ("", "VNext", "Legacy"))
_LOOPS = frozenset({"mastra.stream", "mastra.generate"})
_TOOL, _MODEL = "stream.toolCall.toolName", ".step.llm-execution"
_FAILED = "TOOL_EXECUTION_FAILED"
_AGENT = ("componentName",)


def _counted(*names: str) -> tuple[str, ...]:
    return tuple(f"{loop}.usage.{name}" for name in names for loop in ("stream", "generateText"))


_KEYS = Keys(
    request_model=("aisdk.model.id",),
    provider_name=("aisdk.model.provider",),
    input=("stream.prompt.messages",),
    definitions=("stream.prompt.tools",),
    finish_reasons=("stream.response.finishReason",),
    response_model=("stream.response.model",),
    response_id=("stream.response.id",),
    input_tokens=_counted("inputTokens", "promptTokens"),
    output_tokens=_counted("outputTokens", "completionTokens"),
    cached_input_tokens=_counted("cachedInputTokens"),
    reasoning_tokens=_counted("reasoningTokens"),
    tool_name=(_TOOL,),
    call_id=("stream.toolCall.toolCallId",),
    args=("stream.toolCall.args",),
    result=("stream.toolCall.result",),
)


def read(span: Span) -> Step | None:
    if span.name in _RUNS:
        return _run(span)
    if span.name in _LOOPS:
        return _loop(span)
    if span.text(_TOOL) is not None:
        return _tool(span)
    return _model(span) if span.name.endswith(_MODEL) else None


def _run(span: Span) -> Step:
    """Return a run; a stream is returned before it has been read, and then has no answer."""
    options = as_object(span.first(f"{span.name}.argument.1")) or {}
    result = as_object(span.first(f"{span.name}.result")) or {}
    memory = as_object(options.get("memory")) or {}
    step = read_step(span, "agent", Keys(agent_name=_AGENT))
    return replace(
        step,
        session_id=_id(options.get("threadId") or memory.get("thread")),
        user_id=_id(options.get("resourceId") or memory.get("resource")),
        input=read_turns(span.first(f"{span.name}.argument.0"), "user"),
        output_text=as_text(result.get("text")) or None,
    )


def _id(value: Any) -> str | None:
    recorded_id = value.get("id") if isinstance(value, dict) else value
    return recorded_id if isinstance(recorded_id, str) else None


def _loop(span: Span) -> Step:
    return replace(
        read_step(span, "agent", replace(_KEYS, agent_name=_AGENT)),
        output=_answer(span.first("stream.response.text"), decode_text(span.first("stream.response.toolCalls"))),
    )


def _tool(span: Span) -> Step:
    """Return a tool call, whose result is always JSON; Mastra returns the error of one that failed."""
    result = decode_text(span.first("stream.toolCall.result"))
    step = replace(read_step(span, "tool", _KEYS), result=as_text(result))
    has_failed = isinstance(result, dict) and result.get("code") == _FAILED
    return replace(step, error=step.error or as_text(result.get("message")) or _FAILED) if has_failed else step


def _model(span: Span) -> Step | None:
    """Return a step with request and response as they were sent; a failed one only has its status."""
    result = as_object(span.first(f"{span.name}.result")) or {}
    metadata, output = as_object(result.get("metadata")) or {}, as_object(result.get("output")) or {}
    body = _body(metadata) or _body(output)
    ended = as_object(result.get("stepResult")) or {}
    reason = as_text(ended.get("reason"))
    return replace(
        read_step(span, "model", Keys()),
        request_model=as_text(body.get("model")),
        response_model=as_text(metadata.get("modelId")),
        response_id=as_text(metadata.get("id")),
        finish_reasons=(reason,) if reason else None,
        usage=Usage(**(read_usage(output.get("usage")) or {})),
        input=read_request(body),
        output=_answer(output.get("text"), output.get("toolCalls")),
        definitions=read_definitions(body.get("tools")),
    )


def _body(holder: dict[str, Any]) -> dict[str, Any]:
    sent = as_object(holder.get("request")) or {}
    return as_object(sent.get("body")) or {}


def _answer(text: Any, calls: Any) -> tuple[Message, ...] | None:
    parts = [{"type": "text", "content": text}] if isinstance(text, str) and text else []
    call_parts = (
        [{**call, "type": "tool_call"} for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    )
    return (message({"role": "assistant", "parts": [*parts, *call_parts]}),) if parts or call_parts else None


DIALECT = Dialect(
    "mastra_telemetry",
    read,
    keys=(
        *(f"{run}.argument.*" for run in _RUNS),
        "aisdk.*",
        "stream.prompt.*",
        "stream.response.*",
        "stream.toolCall.*",
        "workflow.*.step.llm-execution.*",
    ),
    evidence=(Evidence("@mastra/core", "0.10, 0.18", "recording"),),
)
