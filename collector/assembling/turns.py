"""Turns: of what waits, one of each owner after the other, so that whoever brings much delays himself."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["OwnerTurns"]

T = TypeVar("T")


class OwnerTurns(Generic[T]):
    """What waits, by its owner. What an owner has goes in the order in which it came."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, deque[T]] = OrderedDict()  # the owner whose turn is next comes first

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, owner: Hashable, item: T) -> None:
        """Lets `item` wait behind what `owner` has already."""
        self._lines.setdefault(owner, deque()).append(item)

    def take(self) -> T:
        """The first item of the owner whose turn it is, who then goes behind all others. Raises KeyError when nothing
        waits."""
        owner, line = self._lines.popitem(last=False)
        item = line.popleft()
        if line:
            self._lines[owner] = line
        return item
