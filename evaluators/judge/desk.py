"""What all jobs of a judge share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from .judge import Judge
from .line import Line
from .memory import Memory
from .polls import Polls
from .recent import Recent
from .way import Way

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """The judge called `name`, the way and the line to it, and what is remembered of it. `now` gives UTC."""

    name: str
    judge: Judge
    way: Way
    line: Line
    memory: Memory
    now: Callable[[], datetime]
    polls: Polls = field(default_factory=Polls)
    unended: Recent[int] = field(default_factory=Recent)
    """How often the answer to a question did not end in time, or could not be read, by request_hash."""
