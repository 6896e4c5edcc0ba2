"""Calls that wait for their answers while the messages of a run are read."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Literal, TypeAlias

__all__ = ["Key", "Waiting"]

Key: TypeAlias = tuple[Literal["id", "name", "any"], str]
"""What an answer finds its call by: the call's id, its tool's name, or nothing."""


class Waiting:
    """The positions of calls without an answer, by every key that may find them: first asked, first answered."""

    def __init__(self) -> None:
        self._queues: defaultdict[Key, deque[int]] = defaultdict(deque)
        self._answered: set[int] = set()

    def add(self, position: int, *keys: Key) -> None:
        for key in keys:
            self._queues[key].append(position)

    def first(self, *keys: Key) -> int | None:
        """Return the first position that waits under the first of `keys` under which one does."""
        for key in keys:
            queue = self._queues[key]
            while queue and queue[0] in self._answered:
                queue.popleft()
            if queue:
                return queue[0]
        return None

    def take(self, *keys: Key) -> int | None:
        """As `first`; it waits no longer."""
        position = self.first(*keys)
        if position is not None:
            self._answered.add(position)
        return position
