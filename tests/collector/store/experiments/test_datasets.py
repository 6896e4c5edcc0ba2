"""Each change of a dataset makes a version, and every version can still be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.datasets import find_dataset
from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.store.experiments.datasets import Datasets
from tracegrade.evaluators.experiments.item import DatasetItem, ItemSource
from tracegrade.evaluators.model import ExpectedCall, Message, TextPart, ToolDefinition
from tracegrade.queries.ports import DatasetChange, DatasetVersion, NoSuchItem, OutdatedVersion

FULL = DatasetItem(
    id="full",
    input={"question": "?", "n": 1},
    expected_tool_calls=(ExpectedCall(name="search", args={"to": "Paris"}),),
    minimums={"search": 1},
    expected_response="AF007",
    expected_trajectory=(Message(role="user", parts=(TextPart(content="hi"),)),),
    tasks=("find",),
    constraints=("once",),
    tools=(ToolDefinition(name="search", input_schema={"type": "object"}),),
    split="test",
    tags=("a", "b"),
    metadata={"lang": "fr"},
    source=ItemSource(agent_trace_id="t-1", revision=3),
)


def item(number: int, **fields: Any) -> DatasetItem:
    return DatasetItem(id=str(number), input=f"question {number}", **fields)


def change(store: Store, *items: DatasetItem, **fields: Any) -> DatasetVersion:
    wanted = DatasetChange(**{"dataset": "trips", "items": items, "author": "ada", **fields})
    return Datasets(store.results, now=store.now).change(wanted)


def ids(store: Store, version: int | None = None) -> list[str]:
    """The ids in a version, in its order."""
    return [each.id for each in find_dataset(LocalSource(store.database).read, "trips", version).items]


def test_item_is_stored_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, FULL, item(1))
        assert list(find_dataset(LocalSource(store.database).read, "trips").items) == [FULL, item(1)]


def test_change_makes_a_version_and_earlier_ones_stay(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        change(store, item(1), item(2))
        clock.pass_by(days=1)
        second = change(store, item(1, tags=("new",)), item(3), removed=("2",))
        counts = second.model_dump()
        assert counts == {
            "dataset": "trips",
            "version": 2,
            "items": 2,
            "added": 1,
            "changed": 1,
            "removed": 1,
            "unchanged": 0,
        }
        assert (ids(store, 1), ids(store, 2), ids(store)) == (["1", "2"], ["1", "3"], ["1", "3"])
        tags = store.rows(
            "select added_in, removed_in, tags::varchar from dataset_items where item_id = '1' order by 1"
        )
        assert tags == [(1, 2, "[]"), (2, None, '["new"]')]
        rows = store.rows("select version, items, author, created_at::date::varchar from datasets order by version")
        assert rows == [(1, 2, "ada", "2026-01-01"), (2, 2, "ada", "2026-01-02")]


def test_same_items_again_make_no_version(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1), item(2))
        again = change(store, item(2), item(1))
        assert (again.version, again.items, again.unchanged) == (1, 2, 2)
        assert store.one("select count(*) from datasets") == 1


def test_item_that_was_changed_keeps_its_place(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1), item(2))
        change(store, item(1, split="test"))
        change(store, removed=("1",))
        change(store, item(1))
        assert (ids(store, 2), ids(store, 4)) == (["1", "2"], ["2", "1"])


def test_removal_of_an_unknown_item_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1))
        with pytest.raises(NoSuchItem, match=r"trips has no item '2', '3'; nothing was removed"):
            change(store, item(4), removed=("1", "3", "2"))
        assert ids(store) == ["1"]


def test_item_that_is_removed_twice_in_one_change_counts_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1), item(2))
        assert change(store, removed=("1", "1")).removed == 1
        assert store.rows("select removed, items from datasets where version = 2") == [(1, 1)]
        with pytest.raises(NoSuchItem, match=r"trips has no item '3'; nothing was removed"):
            change(store, removed=("3", "3"))


def test_all_items_may_be_removed_or_replaced(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1), item(2), item(3))
        replaced = change(store, item(2), item(4), removes_all=True)
        assert (replaced.added, replaced.removed, replaced.unchanged, ids(store)) == (1, 2, 1, ["2", "4"])
        emptied = change(store, removes_all=True)
        assert (emptied.version, emptied.items, ids(store), ids(store, 1)) == (3, 0, [], ["1", "2", "3"])


def test_parts_of_one_change_make_one_version(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1))
        change(store, item(1, split="a"), item(2))
        last = change(store, item(3), continues=2)
        assert (last.version, last.items, last.added) == (2, 3, 1)
        assert store.rows("select items, added, changed, removed from datasets where version = 2") == [(3, 2, 1, 0)]
        assert (ids(store, 1), ids(store, 2)) == (["1"], ["1", "2", "3"])


def test_change_does_not_continue_a_version_that_was_changed_since(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1))
        change(store, item(2))
        with pytest.raises(OutdatedVersion, match="version 1 is not the newest one any more; 2 is"):
            change(store, item(3), continues=1)
        assert ids(store) == ["1", "2"]


def test_view_shows_the_newest_version_of_each_dataset(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        change(store, item(1), item(2))
        change(store, removed=("1",))
        change(store, item(7), dataset="others")
        rows = store.rows("select dataset, item_id, input from latest_dataset_items order by 1")
        assert rows == [("others", "7", "question 7"), ("trips", "2", "question 2")]


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "é"])
def test_name_of_a_dataset_is_a_plain_word(name: str) -> None:
    with pytest.raises(ValueError, match="should match pattern"):
        DatasetChange(dataset=name)


def test_words_of_an_item_are_shown_whole() -> None:
    with pytest.raises(ValueError, match="contains control, bidirectional or zero-width characters"):
        DatasetChange(dataset="trips", items=(DatasetItem(input="?", tags=("a\u202e",)),))
