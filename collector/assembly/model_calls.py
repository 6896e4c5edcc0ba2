"""The model calls of a run, each once, with their tokens and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tracegrade.evaluators.model import LlmCall
from tracegrade.evaluators.pricing.price_table import PriceTable

from ..spans.frozen import replace
from ..spans.span import Span, instant
from ..spans.step import NO_USAGE, Step, Usage
from .conversation import has_content
from .costs import called_model, cost_of_call
from .responses import find_previous_response_id
from .run import Reading, overlap

__all__ = ["build_llm_calls", "merge_model_spans", "sum_usage"]

_NEAR = 4
"""How many of the calls before one may be the same call: others run at the same time."""


def merge_model_spans(around_model: Mapping[str, Span | None], models: Sequence[Reading]) -> list[Reading]:
    """Return the model calls of a run in order of time, each once, however many spans record it.

    `around_model` is that of the TraceContext. Of two spans, one within the other, the inner stays, with the outer's
    content if it has none, and its tokens if it is the first inner one. Of two side by side with the same response at
    the same time, or with the same tokens by two instrumentations, the first stays, completed by the other.
    """
    by_id = {call.span.span_id: call for call in models}
    wrapping: set[str] = set()
    counted: set[str] = set()
    for call in models:
        wrapped = by_id[call.span.span_id]
        span = around_model[call.span.span_id]
        outer = by_id.get(span.span_id) if span else None
        if outer is not None:
            wrapping.add(outer.span.span_id)
            spent = NO_USAGE if outer.span.span_id in counted else outer.step.usage
            by_id[call.span.span_id] = wrapped._replace(step=_fill_missing(wrapped.step, outer.step, spent))
            counted.add(outer.span.span_id)
    calls = [by_id[call.span.span_id] for call in models if call.span.span_id not in wrapping]
    return _merge_same_responses(calls)


def build_llm_calls(models: Sequence[Reading], prices: PriceTable) -> tuple[LlmCall, ...]:
    """Return the calls as records of the run. A call is a retry if it repeats the request that just failed."""
    before = (None, *models)
    return tuple(
        _build_llm_call(call, prices, is_retry=_is_retry(call, former))
        for call, former in zip(models, before, strict=False)
    )


def sum_usage(calls: Sequence[LlmCall], own: Step | None) -> Usage:
    """Return the tokens of model calls, summed; the total that the run's `own` step records if no call has any."""
    summed = Usage(
        input_tokens=_sum([call.input_tokens for call in calls]),
        output_tokens=_sum([call.output_tokens for call in calls]),
        cached_input_tokens=_sum([call.cached_input_tokens for call in calls]),
    )
    return own.usage if own and summed == NO_USAGE else summed


def _fill_missing(inner: Step, outer: Step, spent: Usage) -> Step:
    return replace(
        inner,
        input=inner.input if has_content(inner.input) else outer.input,
        output=inner.output if has_content(inner.output) else outer.output,
        usage=_merge_usage(inner.usage, spent),
        request_model=inner.request_model or outer.request_model,
        response_model=inner.response_model or outer.response_model,
        prompt_name=inner.prompt_name or outer.prompt_name,
        prompt_version=inner.prompt_version or outer.prompt_version,
        reasoning_level=inner.reasoning_level or outer.reasoning_level,
        is_compacted=inner.is_compacted or outer.is_compacted,
    )


def _merge_usage(own: Usage, other: Usage) -> Usage:
    """Return the counts of `own`, completed by those of `other`: one may have the tokens, the other their cost."""
    counts = {name: count for name, count in own._asdict().items() if count is not None}
    return Usage(**{**other._asdict(), **counts})


def _merge_same_responses(models: Iterable[Reading]) -> list[Reading]:
    calls: list[Reading] = []
    positions: dict[str, int] = {}
    for call in models:
        response_id = call.step.response_id
        position = positions.get(response_id) if response_id is not None else _find_twin(calls, call)
        if position is not None and overlap(calls[position].span, call.span):
            calls[position] = calls[position]._replace(
                step=_fill_missing(calls[position].step, call.step, call.step.usage)
            )
            continue
        if response_id is not None:
            positions[response_id] = len(calls)
        calls.append(call)
    return calls


def _find_twin(calls: Sequence[Reading], call: Reading) -> int | None:
    """Return the position of the same call as another instrumentation recorded it, without the id of its response.

    It took the same tokens of the same model at the same time. One instrumentation records a call once, so two of its
    own that are alike are two calls.
    """
    spent, model = call.step.usage, call.step.request_model
    if spent.input_tokens is None or spent.output_tokens is None or model is None:
        return None
    for position in range(len(calls) - 1, max(len(calls) - 1 - _NEAR, -1), -1):
        other = calls[position]
        is_alike = other.step.request_model == model and other.step.usage[:2] == spent[:2]
        if is_alike and other.span.scope_name != call.span.scope_name and overlap(other.span, call.span):
            return position
    return None


def _is_retry(call: Reading, former: Reading | None) -> bool:
    if call.step.is_retry or former is None:
        return call.step.is_retry
    has_failed = former.step.error is not None and not has_content(former.step.output)
    return has_failed and call.step.input is not None and call.step.input == former.step.input


def _build_llm_call(call: Reading, prices: PriceTable, *, is_retry: bool) -> LlmCall:
    step, span, spent = call.step, call.span, call.step.usage
    model, started_at = called_model(step), instant(span.start_ns)
    return LlmCall(
        span_id=span.span_id,
        provider_name=step.provider_name,
        model=model.name,
        request_model=step.request_model,
        response_model=step.response_model,
        response_id=step.response_id,
        previous_response_id=find_previous_response_id(span),
        prompt_name=step.prompt_name,
        prompt_version=step.prompt_version,
        reasoning_level=step.reasoning_level,
        is_compacted=step.is_compacted,
        finish_reasons=step.finish_reasons,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cached_input_tokens=spent.cached_input_tokens,
        cache_write_input_tokens=spent.cache_write_input_tokens,
        cache_write_1h_input_tokens=spent.cache_write_1h_input_tokens,
        audio_input_tokens=spent.audio_input_tokens,
        image_input_tokens=spent.image_input_tokens,
        video_input_tokens=spent.video_input_tokens,
        reasoning_tokens=spent.reasoning_tokens,
        audio_output_tokens=spent.audio_output_tokens,
        image_output_tokens=spent.image_output_tokens,
        cost_usd=cost_of_call(step, model, started_at, prices),
        started_at=started_at,
        duration_ms=span.duration_ms,
        time_to_first_token_ms=step.time_to_first_token_ms,
        is_retry=is_retry,
        error=step.error,
    )


def _sum(values: Sequence[Any]) -> Any:
    recorded = [value for value in values if value is not None]
    return sum(recorded) if recorded else None
