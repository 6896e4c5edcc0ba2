"""Rows as Arrow tables, which is how DuckDB takes them hundreds of times faster than one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import duckdb
import pyarrow as pa

__all__ = ["listed", "registered", "schema", "table_of"]


def schema(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str] | None = None) -> pa.Schema:
    """The Arrow schema of `columns` (default: all) of a table; JSON travels as text."""
    fields = connection.table(table).limit(0).to_arrow_table().schema
    return pa.schema([pa.field(name, _plain(fields.field(name).type)) for name in columns or fields.names])


def table_of(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """`rows`, each in the order of `schema`, as one table."""
    columns = zip(*rows, strict=True) if rows else [() for _ in schema]
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> Iterator[None]:
    """Lets SQL on `connection` read `table` as `name`."""
    connection.register(name, table)
    try:
        yield
    finally:
        # DuckDB 2 refuses it in a transaction that has failed; the next table of that name then takes its place.
        with suppress(duckdb.Error):
            connection.unregister(name)


def listed(ids: Iterable[str]) -> str:
    """Ids as one parameter, which SQL takes apart with string_split: a list costs DuckDB forty times as much.

    Ids of sessions are anybody's, so they are set apart by what `as_session_id` leaves in none: the unit separator.
    """
    return "\x1f".join(ids)


def _plain(type_: pa.DataType) -> pa.DataType:
    return type_.storage_type if isinstance(type_, pa.BaseExtensionType) else type_
