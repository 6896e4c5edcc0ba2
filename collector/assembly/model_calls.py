"""The model calls of a run, each once, and what they cost."""

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
from .responses import previous_response_id
from .run import Read, overlap

__all__ = ["calls_of_models", "llm_calls", "usage"]


def calls_of_models(around_model: Mapping[str, Span | None], models: Sequence[Read]) -> list[Read]:
    """Model calls of a run in order of time, each once, whoever else recorded it too; `around_model` is what Whole has.

    Of one within another the inner stays, with the outer's content where it has none, and its tokens if it is the
    first inner one; an inner one that only counts tokens gives these to the outer. Of two beside each other that give
    the same response at the same time the first stays, with what only the other tells.
    """
    by_id = {one.span.span_id: one for one in models}
    wrapping: set[str] = set()
    counted: set[str] = set()
    for one in models:
        wrapped = by_id[one.span.span_id]
        span = around_model[one.span.span_id]
        outer = by_id.get(span.span_id) if span else None
        if outer is not None:
            wrapping.add(outer.span.span_id)
            spent = NO_USAGE if outer.span.span_id in counted else outer.step.usage
            by_id[one.span.span_id] = wrapped._replace(step=_completed(wrapped.step, outer.step, spent))
            counted.add(outer.span.span_id)
    left = [by_id[one.span.span_id] for one in models if one.span.span_id not in wrapping]
    return _each_response_once(left)


def llm_calls(models: Sequence[Read], prices: PriceTable) -> tuple[LlmCall, ...]:
    """The calls as the model has them. One is a retry when it asks again what just failed."""
    before = (None, *models)
    return tuple(
        _llm_call(one, prices, is_retry=_is_retry(one, last)) for one, last in zip(models, before, strict=False)
    )


def usage(calls: Sequence[LlmCall], own: Step | None) -> Usage:
    """The tokens of model calls, summed; the total that the run's `own` step records where no call has any."""
    summed = Usage(
        input_tokens=_sum([call.input_tokens for call in calls]),
        output_tokens=_sum([call.output_tokens for call in calls]),
        cached_input_tokens=_sum([call.cached_input_tokens for call in calls]),
    )
    return own.usage if own and summed == NO_USAGE else summed


def _completed(inner: Step, outer: Step, spent: Usage) -> Step:
    return replace(
        inner,
        input=inner.input if has_content(inner.input) else outer.input,
        output=inner.output if has_content(inner.output) else outer.output,
        usage=_joined(inner.usage, spent),
        request_model=inner.request_model or outer.request_model,
        response_model=inner.response_model or outer.response_model,
    )


def _joined(own: Usage, other: Usage) -> Usage:
    """What `own` says, and of the rest what `other` does: one of two may know the tokens, the other what they cost."""
    known = {name: count for name, count in own._asdict().items() if count is not None}
    return Usage(**{**other._asdict(), **known})


def _each_response_once(models: Iterable[Read]) -> list[Read]:
    left: list[Read] = []
    kept: dict[str, int] = {}
    for one in models:
        response_id = one.step.response_id
        at = kept.get(response_id) if response_id is not None else None
        if at is not None and overlap(left[at].span, one.span):
            left[at] = left[at]._replace(step=_completed(left[at].step, one.step, one.step.usage))
            continue
        if response_id is not None:
            kept[response_id] = len(left)
        left.append(one)
    return left


def _is_retry(one: Read, last: Read | None) -> bool:
    if one.step.is_retry or last is None:
        return one.step.is_retry
    has_failed = last.step.error is not None and not has_content(last.step.output)
    return has_failed and one.step.input is not None and one.step.input == last.step.input


def _llm_call(one: Read, prices: PriceTable, *, is_retry: bool) -> LlmCall:
    step, span, spent = one.step, one.span, one.step.usage
    model, started_at = called_model(step), instant(span.start_ns)
    return LlmCall(
        span_id=span.span_id,
        provider_name=step.provider_name,
        model=model.name,
        request_model=step.request_model,
        response_model=step.response_model,
        response_id=step.response_id,
        previous_response_id=previous_response_id(span),
        finish_reasons=step.finish_reasons,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cached_input_tokens=spent.cached_input_tokens,
        cache_write_input_tokens=spent.cache_write_input_tokens,
        audio_input_tokens=spent.audio_input_tokens,
        reasoning_tokens=spent.reasoning_tokens,
        audio_output_tokens=spent.audio_output_tokens,
        cost_usd=cost_of_call(step, model, started_at, prices),
        started_at=started_at,
        duration_ms=span.duration_ms,
        time_to_first_token_ms=step.time_to_first_token_ms,
        is_retry=is_retry,
        error=step.error,
    )


def _sum(values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
