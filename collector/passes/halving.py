"""Finds the targets that cost a worker its life: what is lost with the worker is tried again in halves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from ..batch import Batch
from .worker_process import WorkerLost

__all__ = ["Attempt", "divided", "halved"]

Attempt = Callable[[Batch[Any]], Mapping[str, pa.Table]]
"""One job on these targets. Raises WorkerLost."""


def divided(
    batch: Batch[Any], keys: Sequence[str], attempt: Attempt, failed: dict[str, str], *, most_lost: int | None = None
) -> list[Mapping[str, pa.Table]]:
    """The results of `attempt` on the targets `keys`, halved wherever a worker is lost.

    A target that loses the worker by itself is added to `failed`, with the cause. Once there are `most_lost` of them,
    the others are added without an attempt.
    """
    if not keys:
        return []
    if most_lost is not None and len(failed) >= most_lost:
        failed.update(dict.fromkeys(keys, f"not tried after {most_lost} others that could not be worked on"))
        return []
    try:
        return [attempt(batch.only(keys))]
    except WorkerLost as lost:
        return halved(batch, keys, attempt, failed, cause=str(lost), most_lost=most_lost)


def halved(
    batch: Batch[Any],
    keys: Sequence[str],
    attempt: Attempt,
    failed: dict[str, str],
    *,
    cause: str,
    most_lost: int | None = None,
) -> list[Mapping[str, pa.Table]]:
    """As `divided`, for targets that have just lost a worker together, for this `cause`."""
    if len(keys) == 1:
        failed[keys[0]] = cause
        return []
    middle = len(keys) // 2
    return [
        *divided(batch, keys[:middle], attempt, failed, most_lost=most_lost),
        *divided(batch, keys[middle:], attempt, failed, most_lost=most_lost),
    ]
