"""What all jobs of a judge share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ..backends.backend import Backend
from ..batch.batch_polling import Polls
from ..exchange.judge import Judge
from ..limits.bounded_dict import BoundedDict
from ..limits.throttle import Gate
from .async_cache import AsyncJudgeCache

__all__ = ["JudgeContext"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeContext:
    """The judge called `name`, its backend, the gate in front of it, and what is remembered of it. `now` gives UTC."""

    name: str
    judge: Judge
    backend: Backend
    gate: Gate
    cache: AsyncJudgeCache
    now: Callable[[], datetime]
    polls: Polls = field(default_factory=Polls)
    unended: BoundedDict[int] = field(default_factory=BoundedDict)
    """How often the answer to a question did not end in time, or could not be read, by request_hash."""
