"""A dataset: the items that an experiment uses, and where they are kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from .item import DatasetItem

__all__ = ["Dataset"]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Items in their order. `name` and `version` are those of a stored dataset; None: they are from elsewhere."""

    items: tuple[DatasetItem, ...]
    name: str | None = None
    version: int | None = None

    def __iter__(self) -> Iterator[DatasetItem]:
        return iter(self.items)

    def select(self, split: str | None = None, tags: Collection[str] | str = ()) -> Dataset:
        """Return the dataset with only the items of a split (None: any) that have all of these tags, or this one."""
        return replace(self, items=tuple(item for item in self.items if item.is_in(split, tags)))
