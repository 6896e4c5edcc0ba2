"""What all jobs of a judge share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from .async_cache import AsyncJudgeCache
from .backend import Backend
from .gate import Gate
from .judge import Judge
from .polls import Polls
from .recent import Recent

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
    unended: Recent[int] = field(default_factory=Recent)
    """How often the answer to a question did not end in time, or could not be read, by request_hash."""
