"""A judge on loopback whose answer depends on the question alone, and that notes when it was asked what."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.support.llm import Asked, Reply

__all__ = ["Ask", "CountingJudge"]

_COMMITTED_S = 5.0
"""An answer that the program has had for so long is committed, whatever else it was busy with."""

_RETRIED_S = 10.0
"""After a full disk has room again, an answer that could not be committed is committed within this time."""

_ORPHAN_S = 0.5
"""For so long a worker may not have seen yet that its server is gone."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, when it came, and when its answer left; on the clock `time.monotonic`."""

    question: str
    at: float
    answered_at: float


@dataclass
class CountingJudge:
    """The script of a judge's server. It takes up to `slowest_s` for an answer, the same time for the same question."""

    slowest_s: float = 0.0
    asks: list[Ask] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, asked: Asked) -> Reply:
        question = hashlib.sha256(json.dumps(asked.body["messages"], sort_keys=True).encode()).hexdigest()
        number = int(question[:8], 16)
        delay_s = self.slowest_s * (number % 97) / 97
        now = time.monotonic()
        with self._lock:
            self.asks.append(Ask(question, now, now + delay_s))
        return Reply(
            text=json.dumps({"reason": f"as {question[:6]} deserves", "score": 1 + number % 5}), delay_s=delay_s
        )

    def twice(self, kills: Sequence[float], full: Sequence[tuple[float, float]] = ()) -> Iterator[str]:
        """The questions that were asked again without need.

        There is need where the program, or the process that asked, was killed before it had the answer, or before it
        can have committed it. `full` has from when to when the disk was full.
        """
        by_question: dict[str, list[Ask]] = {}
        for ask in self.asks:
            by_question.setdefault(ask.question, []).append(ask)
        for question, asks in by_question.items():
            for earlier, later in pairwise(asks):
                excuses = (
                    earlier.at <= kill + _ORPHAN_S and kill <= min(later.at, _committed_at(earlier, full))
                    for kill in kills
                )
                if not any(excuses):
                    yield question


def _committed_at(ask: Ask, full: Sequence[tuple[float, float]]) -> float:
    """The time by which the answer is committed, unless the program was killed before."""
    at = ask.answered_at + _COMMITTED_S
    for begin, end in full:
        if begin <= at and ask.at <= end:
            at = max(at, end + _RETRIED_S)
    return at
