"""The costs of a run's model calls: as an instrumentation recorded them, else computed from their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tracegrade.evaluators.model import LlmCall
from tracegrade.evaluators.pricing.price_table import CalledModel, PriceTable
from tracegrade.evaluators.pricing.prices import TokenCounts

from ..spans.step import Step, Usage
from .run import Reading

__all__ = ["called_model", "cost_of_call", "cost_of_run"]


def called_model(step: Step) -> CalledModel:
    """Return the model that a step names."""
    return CalledModel(
        provider_name=step.provider_name, request_model=step.request_model, response_model=step.response_model
    )


def cost_of_call(step: Step, model: CalledModel, at: datetime | None, prices: PriceTable) -> float | None:
    """Return the cost of a model call in US dollars; None if its tokens or their price are not known."""
    counts = _count_tokens(step.usage)
    if step.usage.cost_usd is not None or counts is None:
        return step.usage.cost_usd
    return prices.usd(model, counts, at=at)


def cost_of_run(
    models: Sequence[Reading], calls: Sequence[LlmCall], own: Step | None, at: datetime | None, prices: PriceTable
) -> float | None:
    """Return the cost of a run in US dollars: the sum over its model calls, as far as their costs are known.

    The total on its agent span (`own`) counts if the calls record no cost, and its tokens if theirs
    are unknown.
    """
    costs = [call.cost_usd for call in calls if call.cost_usd is not None]
    is_recorded = any(call.step.usage.cost_usd is not None for call in models)
    if own is not None and own.usage.cost_usd is not None and not is_recorded:
        return own.usage.cost_usd
    if costs:
        return sum(costs)
    has_tokens = any(call.input_tokens is not None or call.output_tokens is not None for call in calls)
    counts = None if own is None or has_tokens else _count_tokens(own.usage)
    model = _find_only_model(models, own)
    if counts is None or model is None:
        return None
    return prices.usd(model, counts, at=at, is_one_request=False)


def _find_only_model(models: Sequence[Reading], own: Step | None) -> CalledModel | None:
    """Return the model of a run that called only one."""
    steps = [*(call.step for call in models), *((own,) if own is not None else ())]
    named_models = [model for model in map(called_model, steps) if model.name is not None]
    return named_models[0] if len({model.name for model in named_models}) == 1 else None


def _count_tokens(usage: Usage) -> TokenCounts | None:
    """Return the tokens to pay for; None unless input and output are recorded. A part that is not recorded is 0."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return TokenCounts(
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_input_tokens or 0,
        usage.cache_write_input_tokens or 0,
        usage.audio_input_tokens or 0,
        usage.reasoning_tokens or 0,
        usage.audio_output_tokens or 0,
        usage.cache_write_1h_input_tokens or 0,
        usage.image_input_tokens or 0,
        usage.video_input_tokens or 0,
        usage.image_output_tokens or 0,
    )
