"""Reads datasets, and changes them: through the server that holds the store, or else in the store itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from pydantic import ValidationError

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.text.suggestions import hint
from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.catalog import report
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.ports import CommandRefused, DatasetChange, DatasetVersion

from ..errors import Fault
from ..records.dataset_rows import item_of
from ..store.experiments.datasets import Datasets
from ..store.results.writer import Results
from .query import Read, all_rows, rows_by_page
from .source import LocalSource, RemoteSource, Unacceptable

__all__ = ["Apply", "StoredDataset", "add_in_portions", "change_dataset", "changing", "find_dataset"]

_NOTHING: Final = 1
_PORTION: Final = 500
_MOST_NAMES: Final = 1_000
_MARGIN_BYTES: Final = 2_000
"""The most bytes of a change besides its items."""

Apply: TypeAlias = Callable[[DatasetChange], DatasetVersion]
"""Applies a change. Raises Unacceptable if it is refused, and Fault for any other error."""


@contextmanager
def changing(source: LocalSource | RemoteSource) -> Iterator[Apply]:
    """Yield the function that applies changes, through the server or in the opened store."""
    if isinstance(source, RemoteSource):
        yield partial(_send, source)
        return
    results = Results(source.database)
    try:
        yield partial(change_dataset, Datasets(results))
    finally:
        results.close()


def add_in_portions(apply: Apply, change: DatasetChange, items: Iterable[DatasetItem]) -> DatasetVersion:
    """Add items, at least one, as one version, in portions that fit into a request; a portion is in memory at a time.

    `change` names the dataset and the author. Return the sums. Raises Unacceptable and Fault; if a later portion fails,
    the version has the items of the earlier ones.
    """
    portions = _split(items)
    total = apply(_fill(change, next(portions)))
    for portion in portions:
        has_begun = total.added or total.changed
        continues = total.version if has_begun else None
        total = _add(total, apply(_fill(change, portion, continues)))
    return total


@dataclass(frozen=True, slots=True)
class StoredDataset:
    """A version of a dataset. `newest` has the columns of the report `versions_of_dataset`, as has `this`."""

    this: Mapping[str, Any]
    newest: Mapping[str, Any]
    read: Read

    @property
    def items(self) -> Iterator[DatasetItem]:
        """The items, in their order; they are read page by page."""
        about = {"dataset": self.this["dataset"], "version": self.this["version"]}
        yield from map(item_of, rows_by_page(self.read, report("items_of_dataset"), after={"position": 0}, **about))


def find_dataset(read: Read, name: str, version: int | None = None) -> StoredDataset:
    """Return a version of a dataset, the newest by default. Raises Fault if there is none."""
    versions = all_rows(read, report("versions_of_dataset"), dataset=name, version=version, limit=1)
    if not versions:
        names = [row["dataset"] for row in all_rows(read, report("latest_datasets"), search=None, limit=_MOST_NAMES)]
        raise Fault(f"there is no dataset {name!r}{hint(name, names)}", exit_code=_NOTHING)
    found = next((row for row in versions if version in {None, row["version"]}), None)
    if found is None:
        raise Fault(f"{name} has no version {version}; the newest is {versions[0]['version']}", exit_code=_NOTHING)
    return StoredDataset(found, versions[0], read)


def _fill(change: DatasetChange, items: Sequence[DatasetItem], continues: int | None = None) -> DatasetChange:
    try:
        return DatasetChange(dataset=change.dataset, author=change.author, items=tuple(items), continues=continues)
    except ValidationError as error:
        raise Fault(explain(error, DatasetChange)) from error


def _add(total: DatasetVersion, part: DatasetVersion) -> DatasetVersion:
    counts = ("added", "changed", "removed", "unchanged")
    return part.model_copy(update={name: getattr(total, name) + getattr(part, name) for name in counts})


def _split(items: Iterable[DatasetItem]) -> Iterator[tuple[DatasetItem, ...]]:
    """Split items into portions that fit into a request. Raises Fault if one does not fit by itself."""
    portion: list[DatasetItem] = []
    size = 0
    for item in items:
        item_bytes = len(item.model_dump_json().encode()) + 1
        if item_bytes > MAX_BODY_BYTES - _MARGIN_BYTES:
            raise Fault(f"the item {item.id!r} has {item_bytes:,} bytes, more than the {MAX_BODY_BYTES:,} of a request")
        if portion and (size + item_bytes > MAX_BODY_BYTES - _MARGIN_BYTES or len(portion) == _PORTION):
            yield tuple(portion)
            portion, size = [], 0
        portion.append(item)
        size += item_bytes
    yield tuple(portion)


def _send(server: RemoteSource, change: DatasetChange) -> DatasetVersion:
    return DatasetVersion.model_validate(server.post("/api/v1/datasets", change.model_dump(mode="json")).json())


def change_dataset(datasets: Datasets, change: DatasetChange) -> DatasetVersion:
    """Apply a change in the opened store. Raises Unacceptable if it is refused."""
    try:
        return datasets.change(change)
    except CommandRefused as refused:
        raise Unacceptable(str(refused)) from refused
