"""Reads the dataset that a test is marked with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.item_file import read_item_file
from tracegrade.evaluators.text.suggestions import hint

__all__ = ["BadMarker", "choose_items"]

_ARGUMENTS: Final = ("file", "split", "tags")

BadMarker = pytest.Collector.CollectError
"""The error for a marker or dataset that is wrong. pytest shows its message alone, without the code of the plugin."""


def choose_items(marker: pytest.Mark, folder: Path) -> list[DatasetItem]:
    """Return the items that a marker of a test in `folder` means. Raises BadMarker."""
    file, split, tags = _read_arguments(marker)
    path = folder / file
    try:
        items = read_item_file(path)
    except OSError as error:
        raise BadMarker(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise BadMarker(str(error)) from None
    chosen = [item for item in items if item.is_in(split, tags)]
    if not chosen:
        with_tags = f" with the tags {', '.join(tags)}" if tags else ""
        where = "" if split is None else f" in the split {split!r}"
        raise BadMarker(f"{path}: no item is{where}{with_tags}")
    return chosen


def _read_arguments(marker: pytest.Mark) -> tuple[str | Path, str | None, Sequence[str]]:
    """Return file, split and tags. Raises BadMarker."""
    if len(marker.args) > len(_ARGUMENTS):
        raise BadMarker(f"{marker.name} takes {', '.join(_ARGUMENTS)}, not {len(marker.args)} arguments")
    given: dict[str, Any] = dict(zip(_ARGUMENTS, marker.args, strict=False))
    for name, value in marker.kwargs.items():
        if name not in _ARGUMENTS:
            raise BadMarker(f"{marker.name} has no argument {name!r}{hint(name, _ARGUMENTS)}")
        if name in given:
            raise BadMarker(f"{marker.name} got {name} twice: leave one out")
        given[name] = value
    file, split, tags = given.get("file"), given.get("split"), given.get("tags") or ()
    if not isinstance(file, (str, Path)):
        raise BadMarker(f"{marker.name} needs the path of a dataset, such as {marker.name}('refunds.jsonl')")
    if not isinstance(split, str | None):
        raise BadMarker(f"{marker.name}: split is {split!r}; it is the name of one")
    tags = [tags] if isinstance(tags, str) else tags
    if not isinstance(tags, (list, tuple, set, frozenset)) or not all(isinstance(tag, str) for tag in tags):
        raise BadMarker(f"{marker.name}: tags is {tags!r}; it is a tag, or a list of them")
    return file, split, sorted(tags)
