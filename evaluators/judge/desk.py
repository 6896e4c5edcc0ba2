"""What all jobs of a judge share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from .judge import Judge
from .line import Line
from .memory import Memory
from .polls import Polls
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
    unended: Counter[str] = field(default_factory=Counter)
    """How often the answers to a question, by its request_hash, had no end."""
