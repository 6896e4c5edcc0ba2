"""Rows as Arrow tables, which is how DuckDB takes them hundreds of times faster than one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

__all__ = ["listed", "read_table", "registered", "schema", "table_of"]

_BATCH_ROWS: Final = 2048
"""As many rows as DuckDB computes at once. It reserves a batch before it knows how many rows come: by its own default,
a million, that is 8 MiB a column, also for a single row."""


def schema(connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str] | None = None) -> pa.Schema:
    """The Arrow schema of `columns` (default: all) of a table; JSON travels as text."""
    fields = connection.table(table).limit(0).to_arrow_table(_BATCH_ROWS).schema
    return pa.schema([pa.field(name, _plain(fields.field(name).type)) for name in columns or fields.names])


def read_table(
    connection: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any] | None = None
) -> pa.Table:
    """The rows that a statement selects, in memory that grows with them."""
    return connection.execute(statement(name), parameters).to_arrow_table(_BATCH_ROWS)


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
