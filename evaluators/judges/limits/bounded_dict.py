"""A dict of limited size."""

from __future__ import annotations

from collections import UserDict
from typing import Final, TypeVar

__all__ = ["BoundedDict"]

_MOST: Final = 100_000

_T = TypeVar("_T")


class BoundedDict(UserDict[str, _T]):
    """A dict of at most `most` keys: those that were set last."""

    def __init__(self, most: int = _MOST) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: str, value: _T) -> None:
        self.data.pop(key, None)
        self.data[key] = value
        if len(self.data) > self._most:
            del self.data[next(iter(self.data))]
