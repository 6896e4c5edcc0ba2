"""Rows as Arrow tables between store and worker, which become Python values only when they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import pyarrow as pa

__all__ = ["DEFERRED", "REFERENCE_ROWS", "Batch", "keyed", "streams", "table", "tables"]

REFERENCE_ROWS = pa.schema([("agent_trace_id", pa.string()), ("reference", pa.string())])
"""The columns of rows of `row_mapping.REFERENCES`."""

DEFERRED = pa.schema(
    [
        ("evaluator", pa.string()),
        ("target_id", pa.string()),
        ("until", pa.timestamp("us")),
        ("reason", pa.string()),
        ("kind", pa.string()),
    ]
)
"""The columns of rows of `evaluators.ports.Deferred`."""

T = TypeVar("T")
Build = Callable[[Mapping[str, list[dict[str, Any]]]], list[T]]


class Batch(Sequence[T], Generic[T]):
    """A sequence of values held as Arrow tables. The first table has one row per value, keyed by `key`."""

    def __init__(self, tables: Mapping[str, pa.Table], build: Build[T], *, key: str) -> None:
        self.tables = dict(tables)
        self._build = build
        self._key = key

    @property
    def main(self) -> pa.Table:
        return next(iter(self.tables.values()))

    @property
    def keys(self) -> list[str]:
        """The key of each value, in order."""
        keys: list[str] = self.main.column(self._key).to_pylist()
        return keys

    def only(self, keys: Collection[str]) -> Batch[T]:
        """Return the batch of the values with these keys."""
        chosen = {name: keyed(table, self._key, keys) for name, table in self.tables.items()}
        return Batch(chosen, self._build, key=self._key)

    @cached_property
    def _values(self) -> list[T]:
        return self._build({name: table.to_pylist() for name, table in self.tables.items()})

    def __len__(self) -> int:
        return int(self.main.num_rows)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._values[index]


def table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Build a table of `schema` from `rows`; columns that a row does not name are null."""
    return pa.Table.from_pylist(list(rows), schema=schema)


def keyed(table: pa.Table, key: str, keys: Collection[str]) -> pa.Table:
    """Return the rows of `table` whose column `key` is among `keys`, in order."""
    wanted = set(keys)
    found = [position for position, value in enumerate(table.column(key).to_pylist()) if value in wanted]
    return table if len(found) == table.num_rows else table.take(pa.array(found, type=pa.int64()))


def streams(found: Mapping[str, pa.Table]) -> dict[str, bytes]:
    """Encode tables as Arrow IPC streams, for the pipe."""
    return {name: _stream(table) for name, table in found.items()}


def tables(found: Mapping[str, bytes]) -> dict[str, pa.Table]:
    """Decode the tables of Arrow IPC streams."""
    return {name: pa.ipc.open_stream(stream).read_all() for name, stream in found.items()}


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())
