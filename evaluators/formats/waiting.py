"""Finds the open call that a result belongs to while the messages of a run are read."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Literal, TypeAlias

__all__ = ["Key", "Waiting"]

Key: TypeAlias = tuple[Literal["id", "name", "any"], str]
"""How a result refers to its call: by the call's id, by its tool's name, or not at all."""


class Waiting:
    """The positions of calls without a result, in order, by each key that may refer to them."""

    def __init__(self) -> None:
        self._queues: defaultdict[Key, deque[int]] = defaultdict(deque)
        self._answered: set[int] = set()

    def add(self, position: int, *keys: Key) -> None:
        for key in keys:
            self._queues[key].append(position)

    def first(self, *keys: Key) -> int | None:
        """Return the first open position of the first of `keys` that has one; None without any."""
        for key in keys:
            queue = self._queues[key]
            while queue and queue[0] in self._answered:
                queue.popleft()
            if queue:
                return queue[0]
        return None

    def take(self, *keys: Key) -> int | None:
        """Return the position that `first` returns, and close it."""
        position = self.first(*keys)
        if position is not None:
            self._answered.add(position)
        return position
