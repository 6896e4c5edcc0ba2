"""A multiset of the commits with unassembled arrivals, which finds the lowest in logarithmic time."""

from __future__ import annotations

import heapq
from collections import Counter

__all__ = ["UnsettledCommits"]


class UnsettledCommits:
    """The numbers of commits, each as often as it was added."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._ordered: list[int] = []  # a heap; a removed number is dropped when it comes first

    @property
    def first(self) -> int | None:
        """The lowest number; None if there is none."""
        while self._ordered and not self._counts[self._ordered[0]]:
            del self._counts[heapq.heappop(self._ordered)]
        return self._ordered[0] if self._ordered else None

    def add(self, batch_seq: int) -> None:
        """Add the number once more."""
        if batch_seq not in self._counts:
            heapq.heappush(self._ordered, batch_seq)
        self._counts[batch_seq] += 1

    def remove(self, batch_seq: int) -> None:
        """Remove the number once."""
        self._counts[batch_seq] -= 1
