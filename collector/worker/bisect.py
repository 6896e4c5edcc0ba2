"""Finds the targets that cost a worker its life: what is lost with the worker is tried again in halves, and a target
that was alone with it once more, for a worker may also die by accident."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from ..records.arrow_batch import Batch
from .process import WorkerDied, WorkerLost

__all__ = ["Attempt", "attempt_with_bisection", "bisect_lost"]

Attempt = Callable[[Batch[Any]], Mapping[str, pa.Table]]
"""One job on these targets. Raises WorkerLost."""

_DEATHS: Final = 2
"""After so many workers in a row died over a target that was alone with them, the target is the cause."""

_KILLS: Final = 3
"""The same for workers that were killed from outside: whoever runs out of memory may do that to a target in passing."""


def attempt_with_bisection(
    batch: Batch[Any], keys: Sequence[str], attempt: Attempt, failed: dict[str, str], *, most_lost: int | None = None
) -> list[Mapping[str, pa.Table]]:
    """The results of `attempt` on the targets `keys`, bisected wherever a worker is lost.

    A target that loses the worker by itself, and does so again where the worker died, is added to `failed`, with the
    cause. Once there are `most_lost` of them, the others are added without an attempt.
    """
    if not keys:
        return []
    if most_lost is not None and len(failed) >= most_lost:
        failed.update(dict.fromkeys(keys, f"not tried after {most_lost} others that could not be worked on"))
        return []
    try:
        return [attempt(batch.only(keys))]
    except WorkerLost as lost:
        return bisect_lost(batch, keys, attempt, failed, lost=lost, most_lost=most_lost)


def bisect_lost(
    batch: Batch[Any],
    keys: Sequence[str],
    attempt: Attempt,
    failed: dict[str, str],
    *,
    lost: WorkerLost,
    most_lost: int | None = None,
) -> list[Mapping[str, pa.Table]]:
    """As `attempt_with_bisection`, for targets over which a worker was just `lost`."""
    if len(keys) == 1:
        return _attempt_alone(batch, keys[0], attempt, failed, lost)
    middle = len(keys) // 2
    return [
        *attempt_with_bisection(batch, keys[:middle], attempt, failed, most_lost=most_lost),
        *attempt_with_bisection(batch, keys[middle:], attempt, failed, most_lost=most_lost),
    ]


def _attempt_alone(
    batch: Batch[Any], key: str, attempt: Attempt, failed: dict[str, str], lost: WorkerLost
) -> list[Mapping[str, pa.Table]]:
    """The results on a target over which a worker was just `lost`, in a new one if the worker died."""
    times = 1
    while times < _most_times(lost):
        try:
            return [attempt(batch.only([key]))]
        except WorkerLost as again:
            lost = again
            times += 1
    failed[key] = str(lost)
    return []


def _most_times(lost: WorkerLost) -> int:
    """How often a target may lose a worker like this: one that hangs or raises does so again."""
    if not isinstance(lost, WorkerDied):
        return 1
    return _KILLS if lost.is_killed else _DEATHS
