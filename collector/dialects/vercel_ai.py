"""Vercel AI SDK: everything under `ai.*` before version 7, GenAI keys since.

Agents that are built on it send its spans from a scope of their own, and may leave out `ai.operationId`; the operation
is then the first word of the span's name. A run ends at calls of tools that have no `execute`, or need approval
(https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling).

Source: ai 3.4, 4.3, 5.0 and 6.0, and ai 7.0 with @ai-sdk/otel 1.0 (OpenTelemetry and LegacyOpenTelemetry)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind, Usage
from ..spans.values import as_count, as_object, as_text, decode_text
from .shared import semconv
from .shared.dialect import Dialect, Evidence, Unrecorded
from .shared.keys import Keys, read_step
from .shared.messages import message, messages

__all__ = ["DIALECT"]

OPERATION = "ai.operationId"
_MODEL_CALLS = (".doGenerate", ".doStream")
_METADATA = "ai.telemetry.metadata."
_KEYS = semconv.KEYS.before(
    Keys(
        agent_name=("ai.telemetry.functionId",),
        session_id=(_METADATA + "sessionId", "ai.settings.context.sessionId"),
        user_id=tuple(
            place + key for key in ("userId", "posthog_distinct_id") for place in (_METADATA, "ai.settings.context.")
        ),
        provider_name=("ai.model.provider",),
        request_model=("ai.model.id",),
        response_model=("ai.response.model",),
        response_id=("ai.response.id",),
        finish_reasons=("ai.response.finishReason",),
        time_to_first_token_ms=("ai.response.msToFirstChunk", "ai.stream.msToFirstChunk"),
        input_tokens=("ai.usage.inputTokens", "ai.usage.promptTokens"),
        output_tokens=("ai.usage.outputTokens", "ai.usage.completionTokens"),
        cached_input_tokens=("ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens"),
        cache_write_input_tokens=("ai.usage.inputTokenDetails.cacheWriteTokens",),
        reasoning_tokens=("ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"),
        definitions=("ai.prompt.tools",),
        tool_name=("ai.toolCall.name",),
        call_id=("ai.toolCall.id",),
        args=("ai.toolCall.args", "ai.toolCall.input"),
        result=("ai.toolCall.result", "ai.toolCall.output"),
    )
)
_LOOPS = frozenset({"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"})
_OF_CALL = frozenset({"ai.prompt.messages", "ai.response.text", "ai.response.toolCalls", "ai.usage.inputTokens"})
_CACHE_READ = frozenset(
    {"cacheReadInputTokens", "cache_read_input_tokens", "cachedPromptTokens", "cachedContentTokenCount"}
)
"""Names of the cached tokens, which the input tokens include, by provider."""
_CACHE_WRITE = frozenset({"cacheWriteInputTokens", "cacheCreationInputTokens", "cache_creation_input_tokens"})

_LIFETIMES = ("cache_creation", "cacheCreation", "cacheDetails")
_FOR_AN_HOUR = frozenset({"ephemeral_1h_input_tokens", "ephemeral1hInputTokens"})


def read(span: Span) -> Step | None:
    operation = _operation(span)
    if operation is None:
        step = semconv.read(span, _KEYS)
        return replace(step, usage=_with_cached(span, step.usage)) if step is not None else None
    if operation == "ai.toolCall":
        return _tool(span)
    if operation in _LOOPS:
        return _read_conversation(span, "agent")
    return _read_conversation(span, "model") if operation.endswith(_MODEL_CALLS) else None


def _operation(span: Span) -> str | None:
    operation = span.text(OPERATION)
    if operation is not None:
        return operation
    name = span.name.partition(" ")[0]
    if name.startswith("ai."):
        return name
    if span.text(semconv.OPERATION) is not None:
        return None
    if span.text("ai.toolCall.name") is not None:
        return "ai.toolCall"
    return None if _OF_CALL.isdisjoint(span.attributes) else "ai.generateText.doGenerate"


def _tool(span: Span) -> Step:
    """Return a tool call, without the layer of JSON that the SDK adds even to texts."""
    step = read_step(span, "tool", _KEYS)
    is_quoted = step.result is not None and step.result[:1] == '"'
    return replace(
        step,
        tool_name=step.tool_name or span.name.removeprefix("ai.toolCall "),
        result=as_text(decode_text(step.result)) if is_quoted else step.result,
    )


def _read_conversation(span: Span, kind: StepKind) -> Step:
    step = semconv.read_conversation_step(span, kind, _KEYS)
    model = as_object(span.first("ai.model")) or {}
    return replace(
        step,
        provider_name=step.provider_name or as_text(model.get("provider")),
        request_model=step.request_model or as_text(model.get("id")),
        usage=_with_cached(span, step.usage),
        input=_prompt(span) or step.input,
        output=_answer(span, with_calls=kind == "model") or step.output,
    )


def _with_cached(span: Span, usage: Usage) -> Usage:
    """Return the tokens; before version 6 cached and written ones are only in the provider's metadata.

    How long a cache lives is there in all versions.
    """
    providers = as_object(span.first("ai.response.providerMetadata")) or {}
    metadata = [fields for fields in providers.values() if isinstance(fields, dict)]
    counts = [inner for fields in metadata for inner in (fields, fields.get("usage")) if isinstance(inner, dict)]
    lifetimes = [inner for fields in counts for key in _LIFETIMES if isinstance(inner := fields.get(key), dict)]
    usage = usage._replace(cache_write_1h_input_tokens=_largest(lifetimes, _FOR_AN_HOUR))
    if usage.cached_input_tokens is not None and usage.cache_write_input_tokens is not None:
        return usage
    cached, written = _largest(counts, _CACHE_READ), _largest(counts, _CACHE_WRITE)
    return usage._replace(
        cached_input_tokens=cached if usage.cached_input_tokens is None else usage.cached_input_tokens,
        cache_write_input_tokens=written if usage.cache_write_input_tokens is None else usage.cache_write_input_tokens,
    )


def _largest(counts: Iterable[Mapping[str, Any]], keys: frozenset[str]) -> int | None:
    """Return the largest count under any of `keys`: a provider has one in several places, or 0 if it is not there."""
    recorded = (as_count(fields[key]) for fields in counts for key in keys & fields.keys())
    return max((count for count in recorded if count is not None), default=None)


def _prompt(span: Span) -> tuple[Message, ...] | None:
    prompt = decode_text(span.first("ai.prompt"))
    request = prompt if isinstance(prompt, dict) else {"messages": prompt, "prompt": prompt}
    turns = messages(span.first("ai.prompt.messages")) or messages(request.get("messages"))
    if turns is None and isinstance(request.get("prompt"), str):
        turns = (message({"role": "user", "content": request["prompt"]}),)
    system = request.get("system")
    leading = (message({"role": "system", "content": system}),) if isinstance(system, str) else ()
    return (*leading, *turns) if turns is not None else leading or None


def _answer(span: Span, *, with_calls: bool) -> tuple[Message, ...] | None:
    """Return the answer of a model call. That of the loop repeats the calls of all its steps, which are left out.

    The result of a call that the provider ran is not recorded.
    """
    response = as_object(span.first("ai.response")) or {}
    text = span.first("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object")
    text = text if text is not None else response.get("text") or response.get("object")
    asked_for = span.first("ai.response.toolCalls", "ai.result.toolCalls") or response.get("toolCalls")
    calls = decode_text(asked_for) if with_calls else None
    reasoning = span.first("ai.response.reasoning")
    if text is None and asked_for is None and span.attributes.get("ai.response.text") == "":
        text = ""
    if text is None and calls is None:
        return None
    parts: list[dict[str, Any]] = [{"type": "reasoning", "content": reasoning}] if isinstance(reasoning, str) else []
    parts += [{"type": "text", "content": as_text(text)}] if text is not None else []
    call_parts = [{**call, "type": "tool_call"} for call in _dicts(calls)]
    hosted = [call.get("toolCallId") for call in call_parts if call.get("providerExecuted") is True]
    ran = [{"type": "tool_call_response", "id": call_id} for call_id in hosted]
    return (message({"role": "assistant", "parts": [*parts, *call_parts, *ran]}),)


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


DIALECT = Dialect(
    "vercel_ai",
    read,
    scopes=("ai", "gen_ai"),
    keys=(OPERATION, "ai.settings.*", "ai.model*", "ai.prompt*", "ai.response*", "ai.toolCall.*", "ai.usage.*"),
    content="experimental_telemetry: { isEnabled: true, recordInputs: true, recordOutputs: true }",
    unrecorded=(Unrecorded("leaves"),),
    evidence=(Evidence("ai", "3.4, 4.3, 5.0, 6.0, 7.0", "recording"),),
)
