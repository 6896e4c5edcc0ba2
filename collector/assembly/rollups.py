"""Spans that only repeat the tokens of the model calls beside them: they count if the calls record none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import NO_USAGE, Step, Usage
from .run import Reading

__all__ = ["find_recorded_total", "split_rollups", "with_inner_counts"]


def split_rollups(models: Sequence[Reading]) -> tuple[list[Reading], list[Reading]]:
    """Separate model calls from spans that are none: these have tokens, but nothing of an exchange with a model.

    Such a span is a call if it names a model and the calls beside it record their own tokens, or if no call
    beside it records an exchange: then content is not captured.
    """
    exchanges = [call.step for call in models if _is_exchange(call.step)]
    if not exchanges or len(exchanges) == len(models):
        return list(models), []
    has_tokens = any(step.usage != NO_USAGE for step in exchanges)
    calls: list[Reading] = []
    rollups: list[Reading] = []
    for call in models:
        (rollups if _is_rollup(call.step, has_tokens=has_tokens) else calls).append(call)
    return calls, rollups


def with_inner_counts(around_model: Mapping[str, Span | None], models: Sequence[Reading]) -> Sequence[Reading]:
    """Return the model calls without the spans within them that only count tokens, whose last tokens they get.

    `around_model` is that of the TraceContext.
    """
    ids = {call.span.span_id for call in models}
    within = {
        call.span.span_id: outer
        for call in models
        if (outer := around_model[call.span.span_id]) is not None and outer.span_id in ids and _only_counts(call.step)
    }
    counts = {call.span.span_id: call.step.usage for call in models if call.span.span_id in within}
    if not counts:
        return models
    counted = {within[span_id].span_id: usage for span_id, usage in counts.items()}
    remaining = (call for call in models if call.span.span_id not in counts)
    return [
        call._replace(step=replace(call.step, usage=spent)) if (spent := counted.get(call.span.span_id)) else call
        for call in remaining
    ]


def _only_counts(step: Step) -> bool:
    says_more = step.request_model or step.response_model or step.response_id or step.error or step.finish_reasons
    return not says_more and step.input is None and step.output is None and step.usage != NO_USAGE


def find_recorded_total(
    own: Step | None, rollups: Iterable[Reading], around: Iterable[Step] = (), *, has_calls: bool = True
) -> Step | None:
    """Return the step with the tokens of the whole run: its `own`, else one with the sum of the `rollups`, else the
    nearest of the steps `around` it, within which it is the only run.

    A total of 0 is not known to be one where the run has called a model.
    """
    if own is not None and has_calls and not (own.usage.input_tokens or own.usage.output_tokens):
        own = replace(own, usage=NO_USAGE._replace(cost_usd=own.usage.cost_usd or None))
    if own is not None and own.usage != NO_USAGE:
        return own
    steps = [rollup.step for rollup in rollups]
    steps = steps or [step for step in around if any(step.usage)][:1]
    if not steps:
        return own
    return replace(own or steps[0], usage=_sum([step.usage for step in steps]))


def _is_exchange(step: Step) -> bool:
    return any((step.input, step.output, step.output_text, step.response_id, step.finish_reasons, step.error))


def _is_rollup(step: Step, *, has_tokens: bool) -> bool:
    if _is_exchange(step) or step.usage == NO_USAGE:
        return False
    return not has_tokens or (step.request_model is None and step.response_model is None)


def _sum(usages: Sequence[Usage]) -> Usage:
    """Return the sum of each count as far as it is known."""
    recorded = ([count for count in counts if count is not None] for counts in zip(*usages, strict=True))
    return Usage(*(sum(counts) if counts else None for counts in recorded))
