"""The spans of a run's model calls.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-spans.md)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tracegrade.evaluators.model import AgentTrace, LlmCall

from ..dialects.shared.semconv_keys import INPUT, OPERATION, OUTPUT, SYSTEM
from .agent_span import has_cost_of_calls, split_instructions
from .layout import Layout
from .message_json import join_messages, write_parts
from .run_ids import RunId, SpanIds
from .span import build_span
from .times import Period

__all__ = ["build_model_spans"]

_CHAT: Final = "chat"


def build_model_spans(
    run: AgentTrace, run_id: RunId, *, starts: Iterable[int], layout: Layout, span_ids: SpanIds
) -> list[Span]:
    """Return a span for each model call of a run, which begin at `starts`."""
    has_costs = has_cost_of_calls(run)
    spans: list[Span] = []
    for position, (call, start_ns) in enumerate(zip(run.llm_calls, starts, strict=True)):
        name = call.request_model or call.response_model or call.model
        span = build_span(
            _CHAT if name is None else f"{_CHAT} {name}",
            RunId(run_id.trace_id, span_ids.take(call.span_id, run_id, "model", position)),
            period=Period.of_call(start_ns, call.duration_ms, _find_end(run, layout, position)),
            attributes={**_facts(call, has_cost=has_costs), **_messages(run, layout, position)},
            parent=run_id.span_id,
            kind=Span.SPAN_KIND_CLIENT,
            error=call.error,
        )
        spans.append(span)
    return spans


def _facts(call: LlmCall, *, has_cost: bool) -> Mapping[str, Any]:
    named = call.request_model or call.response_model
    first_token_ms = call.time_to_first_token_ms
    return {
        OPERATION: _CHAT,
        "gen_ai.provider.name": call.provider_name,
        "gen_ai.request.model": call.request_model if named else call.model,
        "gen_ai.response.model": call.response_model,
        "gen_ai.response.id": call.response_id,
        "gen_ai.prompt.name": call.prompt_name,
        "gen_ai.prompt.version": call.prompt_version,
        "gen_ai.request.reasoning.level": call.reasoning_level,
        "gen_ai.conversation.compacted": call.is_compacted,
        "gen_ai.request.previous_response.id": call.previous_response_id,
        "gen_ai.response.finish_reasons": [reason for reason in call.finish_reasons or () if reason] or None,
        "gen_ai.response.time_to_first_chunk": None if first_token_ms is None else first_token_ms / 1000,
        "gen_ai.usage.input_tokens": call.input_tokens,
        "gen_ai.usage.output_tokens": call.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": call.cached_input_tokens,
        "gen_ai.usage.cache_creation.input_tokens": call.cache_write_input_tokens,
        "gen_ai.usage.cache_creation.ephemeral_1h_input_tokens": call.cache_write_1h_input_tokens,
        "gen_ai.usage.audio.input_tokens": call.audio_input_tokens,
        "gen_ai.usage.image.input_tokens": call.image_input_tokens,
        "gen_ai.usage.video.input_tokens": call.video_input_tokens,
        "gen_ai.usage.reasoning.output_tokens": call.reasoning_tokens,
        "gen_ai.usage.audio.output_tokens": call.audio_output_tokens,
        "gen_ai.usage.image.output_tokens": call.image_output_tokens,
        "gen_ai.usage.cost": call.cost_usd if has_cost else None,
    }


def _find_end(run: AgentTrace, layout: Layout, position: int) -> datetime | None:
    """Return the time of the answer of the call at this position."""
    exchange = None if layout.exchanges is None else layout.exchanges[position]
    has_answer = exchange is not None and exchange.output_begin < exchange.output_end
    return run.messages[exchange.output_begin].time if exchange is not None and has_answer else None


def _messages(run: AgentTrace, layout: Layout, position: int) -> Mapping[str, Any]:
    """Return the messages of the call at this position: all before its answer, and its answer."""
    if layout.exchanges is None:
        return {}
    exchange = layout.exchanges[position]
    first = split_instructions(run.messages[: exchange.output_begin])
    history: Sequence[str] = layout.written[first : exchange.output_begin]
    answer = layout.written[exchange.output_begin : exchange.output_end]
    return {
        SYSTEM: write_parts(run.messages[0]) if first else None,
        INPUT: join_messages(history) if history else None,
        OUTPUT: join_messages(answer) if answer else None,
    }
