"""Commits of which something is still to be done, and the first of them, however many there are."""

from __future__ import annotations

import heapq
from collections import Counter

__all__ = ["UnsettledCommits"]


class UnsettledCommits:
    """Commits by their numbers, each as often as it was added."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._ordered: list[int] = []  # a heap; those that are not counted any more are left out when they come first

    @property
    def first(self) -> int | None:
        """The lowest number; None when there is none."""
        while self._ordered and not self._counts[self._ordered[0]]:
            del self._counts[heapq.heappop(self._ordered)]
        return self._ordered[0] if self._ordered else None

    def add(self, batch_seq: int) -> None:
        if batch_seq not in self._counts:
            heapq.heappush(self._ordered, batch_seq)
        self._counts[batch_seq] += 1

    def remove(self, batch_seq: int) -> None:
        """Takes it out once."""
        self._counts[batch_seq] -= 1
