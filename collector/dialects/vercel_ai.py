"""Vercel AI SDK before version 7: everything under `ai.*`.

Source: https://github.com/vercel/ai (packages/otel, LegacyOpenTelemetry; the same keys since version 3)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tracegrade.evaluators.model import Message

from ..span import Span
from ..step import Step, StepKind, Usage
from ..values import as_object, as_text, decode_text
from . import semconv
from .base import Dialect, arguments, definitions, message, messages

__all__ = ["VERCEL_AI"]

OPERATION = "ai.operationId"
_MODEL_CALLS = (".doGenerate", ".doStream")
_LOOPS = frozenset({"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"})


def speaks(span: Span) -> bool:
    return OPERATION in span.attributes


def read(span: Span) -> Step | None:
    operation = span.text(OPERATION) or ""
    if operation == "ai.toolCall":
        return _tool(span)
    if operation in _LOOPS:
        return _spoken(span, "agent")
    return _spoken(span, "model") if operation.endswith(_MODEL_CALLS) else None


def _tool(span: Span) -> Step:
    return Step(
        kind="tool",
        **_who(span),
        tool_name=span.text("ai.toolCall.name") or span.name,
        call_id=span.text("ai.toolCall.id"),
        args=arguments(span.first("ai.toolCall.args", "ai.toolCall.input")),
        result=_result(span.attributes.get("ai.toolCall.result", span.attributes.get("ai.toolCall.output"))),
    )


def _result(value: Any) -> str | None:
    """Results are always JSON, even texts: one layer is the SDK's own."""
    if isinstance(value, str) and value[:1] == '"':
        return as_text(decode_text(value))
    return as_text(value)


def _spoken(span: Span, kind: StepKind) -> Step:
    step = semconv.step_of(span, kind)
    is_model = kind == "model"
    return replace(
        step,
        **_who(span),
        provider_name=step.provider_name or span.text("ai.model.provider"),
        request_model=step.request_model or span.text("ai.model.id"),
        response_model=step.response_model or span.text("ai.response.model"),
        response_id=step.response_id or span.text("ai.response.id"),
        finish_reasons=step.finish_reasons or semconv.finish_reasons(span.first("ai.response.finishReason")),
        time_to_first_token_ms=span.first("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"),
        usage=_usage(span, step.usage),
        input=_prompt(span),
        output=_answer(span, with_calls=is_model),
        definitions=definitions(span.first("ai.prompt.tools")),
    )


def _prompt(span: Span) -> tuple[Message, ...] | None:
    whole = as_object(span.first("ai.prompt")) or {}
    said = messages(span.first("ai.prompt.messages")) or messages(whole.get("messages"))
    if said is None and isinstance(whole.get("prompt"), str):
        said = (message({"role": "user", "content": whole["prompt"]}),)
    system = whole.get("system")
    leading = (message({"role": "system", "content": system}),) if isinstance(system, str) else ()
    return (*leading, *said) if said is not None else leading or None


def _answer(span: Span, *, with_calls: bool) -> tuple[Message, ...] | None:
    """The answer of a model call. That of the loop repeats the calls of all its steps, which are left out."""
    text = span.first("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object")
    calls = decode_text(span.first("ai.response.toolCalls", "ai.result.toolCalls")) if with_calls else None
    reasoning = span.first("ai.response.reasoning")
    if text is None and calls is None:
        return None
    parts: list[dict[str, Any]] = [{"type": "reasoning", "content": reasoning}] if isinstance(reasoning, str) else []
    parts += [{"type": "text", "content": as_text(text)}] if text is not None else []
    asked = [{"type": "tool_call", **call} for call in calls or () if isinstance(call, dict)]
    return (message({"role": "assistant", "parts": [*parts, *asked]}),)


def _usage(span: Span, known: Usage) -> Usage:
    return Usage(
        input_tokens=_or(known.input_tokens, span.count("ai.usage.inputTokens", "ai.usage.promptTokens")),
        output_tokens=_or(known.output_tokens, span.count("ai.usage.outputTokens", "ai.usage.completionTokens")),
        cached_input_tokens=_or(known.cached_input_tokens, span.count("ai.usage.cachedInputTokens")),
        reasoning_tokens=_or(known.reasoning_tokens, span.count("ai.usage.reasoningTokens")),
        cost_usd=known.cost_usd,
    )


def _or(first: int | None, second: int | None) -> int | None:
    return second if first is None else first


def _who(span: Span) -> dict[str, Any]:
    return {
        "agent_name": span.text("ai.telemetry.functionId"),
        "session_id": span.text("ai.telemetry.metadata.sessionId", "session.id"),
        "user_id": span.text("ai.telemetry.metadata.userId", "user.id"),
        "error": span.error,
    }


VERCEL_AI = Dialect("vercel_ai", speaks, read)
