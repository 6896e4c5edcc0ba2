"""What a run's model calls cost: as an instrumentation recorded it, else computed from their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tracegrade.evaluators.model import LlmCall
from tracegrade.evaluators.pricing.price_table import CalledModel, PriceTable
from tracegrade.evaluators.pricing.prices import TokenCounts

from ..spans.step import Step, Usage
from .run import Read

__all__ = ["called_model", "cost_of_call", "cost_of_run"]


def called_model(step: Step) -> CalledModel:
    """The model that a step names."""
    return CalledModel(
        provider_name=step.provider_name, request_model=step.request_model, response_model=step.response_model
    )


def cost_of_call(step: Step, model: CalledModel, at: datetime | None, prices: PriceTable) -> float | None:
    """What a model call cost in US dollars; None where its tokens or their price are not known."""
    counts = _counts(step.usage)
    if step.usage.cost_usd is not None or counts is None:
        return step.usage.cost_usd
    return prices.usd(model, counts, at=at)


def cost_of_run(
    models: Sequence[Read], calls: Sequence[LlmCall], own: Step | None, at: datetime | None, prices: PriceTable
) -> float | None:
    """What a run cost in US dollars: the sum over its model calls, as far as their costs are known.

    What its agent span records of the whole (`own`) counts where the calls record no cost, and its tokens where theirs
    are unknown.
    """
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    is_recorded = any(read.step.usage.cost_usd is not None for read in models)
    if own is not None and own.usage.cost_usd is not None and not is_recorded:
        return own.usage.cost_usd
    if known:
        return sum(known)
    has_tokens = any(call.input_tokens is not None or call.output_tokens is not None for call in calls)
    counts = None if own is None or has_tokens else _counts(own.usage)
    model = _only_model(models, own)
    if counts is None or model is None:
        return None
    return prices.usd(model, counts, at=at, is_one_request=False)


def _only_model(models: Sequence[Read], own: Step | None) -> CalledModel | None:
    """The model of a run that called no other."""
    steps = [*(read.step for read in models), *((own,) if own is not None else ())]
    named = [model for model in map(called_model, steps) if model.name is not None]
    return named[0] if len({model.name for model in named}) == 1 else None


def _counts(usage: Usage) -> TokenCounts | None:
    """The tokens to pay for; None where not both ways are recorded. A part that is not recorded is none."""
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
    )
