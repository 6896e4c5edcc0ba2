"""Writes datasets. Each change makes a new version, and earlier ones stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import DatasetChange, DatasetVersion, NoSuchItem, OutdatedVersion

from ...clock import utc_now
from ...records.arrow_batch import table
from ...records.dataset_rows import item_row
from ..engines.arrow import listed, read_table, registered, schema
from ..results.writer import Results

__all__ = ["Datasets"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Difference:
    """What a change does to the newest version."""

    new: Sequence[DatasetItem]
    changed: Sequence[DatasetItem]
    removed: Sequence[str]
    same: int


class Datasets:
    """Writes datasets through the connection for results. For any thread."""

    def __init__(self, results: Results, *, now: Callable[[], datetime] | None = None) -> None:
        self._results = results
        self._now = now or utc_now

    def change(self, change: DatasetChange) -> DatasetVersion:
        """Apply a change in one transaction; return the version that it makes, or the newest if nothing changes.

        Raises NoSuchItem and OutdatedVersion.
        """
        with self._results.transaction() as connection:
            newest = _read_newest(connection, change)
            before = _read_items(connection, change)
            difference = _compare(change, before)
            if not (difference.new or difference.changed or difference.removed):
                return _summarize(change, newest, difference)
            version = self._record(connection, change, newest, difference, before)
        return _summarize(change, version, difference)

    def _record(
        self,
        connection: duckdb.DuckDBPyConnection,
        change: DatasetChange,
        newest: Row,
        difference: _Difference,
        before: Mapping[str, Row],
    ) -> Row:
        """Write the items, and the record of the version; return the record."""
        is_continued = change.continues is not None
        key = {"dataset": change.dataset, "version": newest["version"] + (0 if is_continued else 1)}
        gone = [*difference.removed, *(item.id for item in difference.changed)]
        if gone:
            connection.execute(statement("remove_dataset_items"), {**key, "item_ids": listed(gone)})
        self._insert(connection, key, difference, before)
        if is_continued:
            connection.execute(statement("delete_dataset_version"), key)
        earlier = newest if is_continued else {"added": 0, "changed": 0, "removed": 0}
        counts = {
            "added": earlier["added"] + len(difference.new),
            "changed": earlier["changed"] + len(difference.changed),
            "removed": earlier["removed"] + len(difference.removed),
        }
        about = {**key, **counts, "author": change.author, "now": self._now()}
        connection.execute(statement("insert_dataset_version"), about)
        return _read_version(connection, change.dataset)

    def _insert(
        self,
        connection: duckdb.DuckDBPyConnection,
        key: Mapping[str, Any],
        difference: _Difference,
        before: Mapping[str, Row],
    ) -> None:
        ((last,),) = connection.execute(statement("last_item_position"), {"dataset": key["dataset"]}).fetchall()
        positions = {item.id: before[item.id]["position"] for item in difference.changed}
        positions |= {item.id: position for position, item in enumerate(difference.new, last + 1)}
        about = {"dataset": key["dataset"], "added_in": key["version"]}
        rows = [
            {**item_row(item), **about, "position": positions[item.id]}
            for item in (*difference.changed, *difference.new)
        ]
        with registered(connection, "arriving_items", table(rows, schema(connection, "dataset_items"))):
            connection.execute(statement("insert_dataset_items"))


def _read_version(connection: duckdb.DuckDBPyConnection, dataset: str) -> Row:
    rows = read_table(connection, "newest_dataset_version", {"dataset": dataset}).to_pylist()
    return rows[0] if rows else {"version": 0, "items": 0}


def _read_newest(connection: duckdb.DuckDBPyConnection, change: DatasetChange) -> Row:
    """Return the newest version, version 0 if there is none. Raises OutdatedVersion if the change continues another."""
    newest = _read_version(connection, change.dataset)
    if change.continues is not None and change.continues != newest["version"]:
        raise OutdatedVersion(
            f"{change.dataset}: version {change.continues} is not the newest one any more; {newest['version']} is. "
            "Someone changed it meanwhile: add the items again"
        )
    return newest


def _read_items(connection: duckdb.DuckDBPyConnection, change: DatasetChange) -> dict[str, Row]:
    """Return the items of the newest version that the change concerns, by id."""
    item_ids = None if change.removes_all else listed([*change.removed, *(item.id for item in change.items)])
    rows = read_table(connection, "items_in_dataset", {"dataset": change.dataset, "item_ids": item_ids}).to_pylist()
    return {row["item_id"]: row for row in rows}


def _compare(change: DatasetChange, before: Mapping[str, Row]) -> _Difference:
    """Compare a change with the newest version. Raises NoSuchItem."""
    items = {item.id: item for item in change.items}
    if unknown := [item_id for item_id in dict.fromkeys(change.removed) if item_id not in before]:
        raise NoSuchItem(_explain_unknown(change.dataset, unknown))
    removed = before if change.removes_all else dict.fromkeys(change.removed)
    kept = [item for item in items.values() if item.id in before]
    changed = [item for item in kept if before[item.id]["content_hash"] != item.hash]
    return _Difference(
        new=[item for item in items.values() if item.id not in before],
        changed=changed,
        removed=[item_id for item_id in removed if item_id not in items],
        same=len(kept) - len(changed),
    )


def _explain_unknown(dataset: str, unknown: Iterable[str]) -> str:
    names = sorted(unknown)
    shown = ", ".join(map(repr, names[:5])) + (f" and {counted(len(names) - 5, 'other')}" if len(names) > 5 else "")
    return f"{dataset} has no item {shown}; nothing was removed"


def _summarize(change: DatasetChange, version: Row, difference: _Difference) -> DatasetVersion:
    return DatasetVersion(
        dataset=change.dataset,
        version=version["version"],
        items=version["items"],
        added=len(difference.new),
        changed=len(difference.changed),
        removed=len(difference.removed),
        unchanged=difference.same,
    )
