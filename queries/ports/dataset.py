"""Changes of datasets."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field

from tracegrade.evaluators.experiments.item import DatasetItem

from .refusal import CommandRefused
from .words import DatasetName, Name, check_shown_whole

__all__ = ["DatasetChange", "DatasetVersion", "NoSuchItem", "OutdatedVersion", "check_item"]


def check_item(item: DatasetItem) -> DatasetItem:
    """Return the item. Raises ValueError if a part of its id, split or tags is not shown."""
    for name in filter(None, (item.id, item.split, *item.tags)):
        check_shown_whole(name)
    return item


class DatasetChange(BaseModel):
    """A change of a dataset: items to add or to replace, by their ids, and ids of items to remove.

    `removes_all` removes every item that is not among `items`. `continues` names the version that an earlier part of
    the same change has made: this part belongs to it too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: DatasetName
    items: Annotated[tuple[Annotated[DatasetItem, AfterValidator(check_item)], ...], FailFast()] = ()
    removed: tuple[str, ...] = ()
    removes_all: bool = Field(default=False, strict=True)
    continues: int | None = Field(default=None, ge=1, strict=True)
    author: Name = "anonymous"


class DatasetVersion(BaseModel):
    """The version that a change of a dataset made, or the newest one if nothing changed.

    It has `items` items. The other numbers are those of the change; `unchanged` items were there already.
    """

    model_config = ConfigDict(frozen=True)

    dataset: str
    version: int
    items: int
    added: int
    changed: int
    removed: int
    unchanged: int


class NoSuchItem(CommandRefused):
    """The dataset has no item with one of these ids."""

    kind = "not_found"


class OutdatedVersion(CommandRefused):
    """The version that a change continues is not the newest one."""

    kind = "conflict"
