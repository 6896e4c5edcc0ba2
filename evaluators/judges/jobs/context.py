"""What all jobs of a judge share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ..backends.backend import Backend
from ..batch.batch_polling import BatchPolling
from ..exchange.judge import Judge
from ..limits.bounded_dict import BoundedDict
from ..limits.throttle import Throttle
from .async_cache import AsyncJudgeCache

__all__ = ["JudgeContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeContext:
    """The judge called `name`, its backend, its throttle, and what is remembered of it. `now` gives UTC."""

    name: str
    judge: Judge
    backend: Backend
    throttle: Throttle
    cache: AsyncJudgeCache
    now: Callable[[], datetime]
    polling: BatchPolling = field(default_factory=BatchPolling)
    unended: BoundedDict[int] = field(default_factory=BoundedDict)
    """How often the answer to a question did not end in time, or could not be read, by request_hash."""
