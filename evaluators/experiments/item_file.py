"""Reads the items of a file of any kind, all or none."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

from ..formats.imported import RecordFault
from ..formats.kinds import read_file
from ..regular_file import open_regular_file
from .dataset_file import explain_repetition
from .item import DatasetItem
from .item_kinds import ITEMS, load_all_kinds, make_item

__all__ = ["read_item_file", "read_items"]


def read_item_file(path: Path) -> tuple[DatasetItem, ...]:
    """Return the items of a file. Raises OSError, and ValueError: a line for each fault, which begins with the path."""
    with open_regular_file(path) as file:
        try:
            return _read(file)
        except ValueError as error:
            raise ValueError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from error


def read_items(text: str) -> tuple[DatasetItem, ...]:
    """Return the items in the text of a file, in their order.

    Raises ValueError if there are none, or if one cannot be read: a line for each fault, which begins with its place,
    such as `line 3`.
    """
    return _read(io.BytesIO(text.encode()))


def _read(file: BinaryIO) -> tuple[DatasetItem, ...]:
    faults: list[str] = []
    items: dict[str, DatasetItem] = {}
    places: dict[str, str] = {}
    for entry in read_file(file, kinds=load_all_kinds(), default=ITEMS).entries:
        if isinstance(entry, RecordFault):
            faults.append(f"{entry.place}: {entry.reason}")
            continue
        try:
            item = make_item(entry)
        except ValueError as error:
            faults.append(f"{entry.place}: {error}")
            continue
        if item.id in items:
            has_same_input = item.input == items[item.id].input
            reason = explain_repetition(item, places[item.id], has_same_input=has_same_input)
            faults.append(f"{entry.place}: {reason}")
            continue
        items[item.id], places[item.id] = item, entry.place
    if faults:
        raise ValueError("\n".join(faults))
    if not items:
        raise ValueError("there are no items in it")
    return tuple(items.values())
