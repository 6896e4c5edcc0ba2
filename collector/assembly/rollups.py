"""Spans that only repeat what the model calls beside them spent: their tokens count where the calls record none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import NO_USAGE, Step, Usage
from .run import Read

__all__ = ["recorded_total", "split_rollups", "with_inner_counts"]


def split_rollups(models: Sequence[Read]) -> tuple[list[Read], list[Read]]:
    """The model calls, and the spans that are none: they have tokens, but nothing of an exchange with a model.

    Such a span is a call where it names a model and the calls beside it record their own tokens, or where no call
    beside it records an exchange: then content is not captured.
    """
    exchanges = [read.step for read in models if _is_exchange(read.step)]
    if not exchanges or len(exchanges) == len(models):
        return list(models), []
    has_tokens = any(step.usage != NO_USAGE for step in exchanges)
    calls: list[Read] = []
    rollups: list[Read] = []
    for read in models:
        (rollups if _is_rollup(read.step, has_tokens=has_tokens) else calls).append(read)
    return calls, rollups


def with_inner_counts(around_model: Mapping[str, Span | None], models: Sequence[Read]) -> Sequence[Read]:
    """The model calls without the spans within them that only count tokens, with the tokens of the last of these.

    `around_model` is what Whole has.
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
    left = (call for call in models if call.span.span_id not in counts)
    return [
        call._replace(step=replace(call.step, usage=spent)) if (spent := counted.get(call.span.span_id)) else call
        for call in left
    ]


def _only_counts(step: Step) -> bool:
    says_more = step.request_model or step.response_model or step.response_id or step.error or step.finish_reasons
    return not says_more and step.input is None and step.output is None and step.usage != NO_USAGE


def recorded_total(own: Step | None, rollups: Iterable[Read], around: Iterable[Step] = ()) -> Step | None:
    """The step that records what the whole run spent: its `own`, else one with the sum of the `rollups`, else the
    nearest of the steps `around` it, of which it is all."""
    if own is not None and own.usage != NO_USAGE:
        return own
    steps = [read.step for read in rollups]
    steps = steps or [step for step in around if step.usage != NO_USAGE][:1]
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
    """The sum of each count as far as it is known."""
    known = ([count for count in counts if count is not None] for counts in zip(*usages, strict=True))
    return Usage(*(sum(counts) if counts else None for counts in known))
