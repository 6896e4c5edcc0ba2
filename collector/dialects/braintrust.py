"""Braintrust's SDKs over OpenTelemetry: kind, input and output of a span, each as JSON under one key.

Calls of models have the provider's own request and answer: messages and choices of OpenAI, contents and candidates of
Gemini, messages of Anthropic and Bedrock. The model and the tools are in the metadata, the tokens in the metrics.

Source: https://github.com/braintrustdata/braintrust-sdk-java (instrumentation tests of Spring AI, Gemini),
https://github.com/braintrustdata/braintrust-sdk-go (trace/contrib), https://github.com/braintrustdata/braintrust-sdk-ruby
(lib/braintrust/trace/contrib), of 2026
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step, StepKind, Usage
from ..spans.values import as_count, as_object, as_text, decode_text
from .shared import gemini, semconv
from .shared.content import read_turns
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.second_convention import with_genai
from .shared.tool_definitions import read_definitions
from .shared.traced import read_traced_tool

__all__ = ["DIALECT"]

_TYPE = "braintrust.span_attributes"
_INPUT, _OUTPUT = (("braintrust.input_json", "braintrust.input"), ("braintrust.output_json", "braintrust.output"))
_KINDS: dict[str, StepKind] = {"llm": "model", "tool": "tool", "task": "workflow", "function": "workflow"}
_KEYS = Keys(input_value=_INPUT, output_value=_OUTPUT).before(semconv.KEYS)


def read(span: Span) -> Step | None:
    kind = _kind(span)
    if kind is None:
        return semconv.read(span)
    if kind == "tool":
        step = read_step(span, "tool", Keys(result=_OUTPUT).before(semconv.KEYS))
        return read_traced_tool(span, replace(step, result=as_text(decode_text(step.result))), span.first(*_INPUT))
    return _model(span) if kind == "model" else read_step(span, kind, _KEYS)


def _kind(span: Span) -> StepKind | None:
    attributes = as_object(span.first(_TYPE)) or {}
    return _KINDS.get(str(attributes.get("type") or span.text(_TYPE + ".type")))


def _model(span: Span) -> Step | None:
    """Return a model call; one of embeddings, which has the same type, has neither messages nor text."""
    metadata, metrics = (as_object(span.first(f"braintrust.{key}")) or {} for key in ("metadata", "metrics"))
    answered = _answer(span.first(*_OUTPUT))
    reason = as_text(metadata.get("stop_reason"))
    seconds = metrics.get("time_to_first_token")
    step = replace(
        semconv.read_conversation_step(span, "model"),
        provider_name=as_text(metadata.get("provider")),
        request_model=as_text(metadata.get("model")),
        response_id=as_text(metadata.get("id")),
        finish_reasons=(reason,) if reason else None,
        time_to_first_token_ms=seconds * 1000 if isinstance(seconds, float) and seconds > 0 else None,
        usage=_usage(metrics),
        input=read_turns(span.first(*_INPUT), "user"),
        output=answered,
        definitions=read_definitions(metadata.get("tools")),
    )
    return with_genai(span, step)


def _answer(value: Any) -> tuple[Message, ...] | None:
    response = as_object(value) or {}
    candidates = response.get("candidates")
    if isinstance(candidates, list):
        contents = [candidate.get("content") for candidate in candidates if isinstance(candidate, dict)]
        return gemini.read_contents(contents, "assistant") or None
    return read_turns(value, "assistant")


def _usage(metrics: dict[str, Any]) -> Usage:
    return Usage(
        input_tokens=as_count(metrics.get("prompt_tokens")),
        output_tokens=as_count(metrics.get("completion_tokens")),
        cached_input_tokens=as_count(metrics.get("prompt_cached_tokens")),
        cache_write_input_tokens=as_count(metrics.get("prompt_cache_creation_tokens")),
        cache_write_1h_input_tokens=as_count(metrics.get("prompt_cache_creation_1h_tokens")),
        total_tokens=as_count(metrics.get("tokens")),
        reasoning_tokens=as_count(metrics.get("completion_reasoning_tokens")),
    )


DIALECT = Dialect(
    "braintrust",
    read,
    keys=(_TYPE, _TYPE + ".*", *_INPUT, *_OUTPUT),
    evidence=(Evidence("braintrust SDKs for Go, Java and Ruby", "of 2026", "source"),),
)
