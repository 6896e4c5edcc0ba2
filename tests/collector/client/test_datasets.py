"""A change of any size is one version, though each request holds a part of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.store import opened

from tracegrade.collector.client.datasets import Apply, add_in_portions, changing, find_dataset
from tracegrade.collector.client.source import LocalSource, Unacceptable
from tracegrade.collector.errors import Fault
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.ports import DatasetChange, DatasetVersion


def noting(apply: Apply, sizes: list[int]) -> Apply:
    """Applies changes, and notes the size of the body of each."""

    def noted(change: DatasetChange) -> DatasetVersion:
        sizes.append(len(change.model_dump_json()))
        return apply(change)

    return noted


def test_many_large_items_make_one_version_in_requests_that_are_accepted(tmp_path: Path) -> None:
    items = tuple(DatasetItem(id=f"{number:04}", input="é" * 1_000) for number in range(1_200))
    sizes: list[int] = []
    with opened(tmp_path) as store, changing(source := LocalSource(store.database)) as apply:
        apply(DatasetChange(dataset="trips", items=items[:600]))
        version = add_in_portions(noting(apply, sizes), DatasetChange(dataset="trips"), items)
        assert (version.version, version.items, version.added, version.unchanged) == (2, 1_200, 600, 600)
        assert len(sizes) > 2
        assert max(sizes) <= MAX_BODY_BYTES
        assert [item.id for item in find_dataset(source.read, "trips").items] == [item.id for item in items]


def test_item_that_no_request_can_hold_is_refused_with_its_size(tmp_path: Path) -> None:
    huge = DatasetItem(id="huge", input="a" * MAX_BODY_BYTES)
    with (
        opened(tmp_path) as store,
        changing(LocalSource(store.database)) as apply,
        pytest.raises(Fault, match=r"the item 'huge' has 1,0\d\d,\d+ bytes, more than the 1,048,576 of a request"),
    ):
        add_in_portions(apply, DatasetChange(dataset="trips"), [huge])


def test_refused_change_is_the_fault_of_its_author(tmp_path: Path) -> None:
    with (
        opened(tmp_path) as store,
        changing(LocalSource(store.database)) as apply,
        pytest.raises(Unacceptable, match="trips has no item '1'"),
    ):
        apply(DatasetChange(dataset="trips", removed=("1",)))


def test_dataset_that_does_not_exist_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    with opened(tmp_path) as store, changing(source := LocalSource(store.database)) as apply:
        apply(DatasetChange(dataset="trips", items=(DatasetItem(input="?"),)))
        with pytest.raises(Fault, match=r"there is no dataset 'trip' \(did you mean 'trips'\?\)"):
            find_dataset(source.read, "trip")
        with pytest.raises(Fault, match="trips has no version 2; the newest is 1"):
            find_dataset(source.read, "trips", 2)
