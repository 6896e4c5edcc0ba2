"""Round robin over owners: an owner with many items delays only its own."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["OwnerTurns"]

T = TypeVar("T")


class OwnerTurns(Generic[T]):
    """Items in queues by owner. The owners take turns; the items of one owner are first in, first out."""

    def __init__(self) -> None:
        self._lines: OrderedDict[Hashable, deque[T]] = OrderedDict()  # the owner whose turn is next comes first

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, owner: Hashable, item: T) -> None:
        """Add an item to the end of the queue of `owner`."""
        self._lines.setdefault(owner, deque()).append(item)

    def take(self) -> T:
        """Remove and return the first item of the owner whose turn it is. Raises KeyError if there is no item."""
        owner, line = self._lines.popitem(last=False)
        item = line.popleft()
        if line:
            self._lines[owner] = line
        return item
