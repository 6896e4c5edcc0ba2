"""How columns hold fields, table by table."""

from __future__ import annotations

from datetime import UTC, datetime

import duckdb
import pytest

from tracegrade.collector.records.table_mapping import TABLES, TableMapping
from tracegrade.queries.catalog import migrate


@pytest.fixture(scope="module")
def types() -> dict[str, dict[str, str]]:
    """The types of the columns of a new store, by table and column."""
    connection = duckdb.connect()
    migrate(connection)
    types: dict[str, dict[str, str]] = {}
    sql = "select table_name, column_name, data_type from duckdb_columns()"
    for table, column, type_ in connection.execute(sql).fetchall():
        types.setdefault(table, {})[column] = type_
    return types


@pytest.mark.parametrize("table", TABLES)
def test_every_mapped_column_is_in_the_table_with_the_type_that_the_mapping_gives_it(
    types: dict[str, dict[str, str]], table: str
) -> None:
    mapping, columns = TABLES[table], types[table]
    assert mapping.fields.keys() <= columns.keys()
    assert mapping.json == {column for column in mapping.fields if columns[column] == "JSON"}
    assert mapping.times == {column for column in mapping.fields if columns[column] == "TIMESTAMP"}


def test_column_name_that_two_tables_share_is_mapped_in_each_by_its_own_meaning() -> None:
    objects = TableMapping({"note": "note"}, json=frozenset({"note"}), times=frozenset())
    texts = TableMapping({"note": "remark"}, json=frozenset(), times=frozenset())
    times = TableMapping({"note": "noted_at"}, json=frozenset(), times=frozenset({"note"}))
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)

    assert objects.write({"note": {"a": 1}}) == {"note": '{"a":1}'}
    assert objects.read({"note": '{"a":1}'}) == {"note": {"a": 1}}
    assert texts.write({"remark": '{"a":1}'}) == {"note": '{"a":1}'}
    assert texts.read({"note": '{"a":1}'}) == {"remark": '{"a":1}'}
    assert times.write({"noted_at": noon}) == {"note": noon.replace(tzinfo=None)}
    assert times.read({"note": noon.replace(tzinfo=None)}) == {"noted_at": noon}


def test_columns_that_hold_no_field_are_not_read() -> None:
    row = {"name": "search", "description": None, "input_schema": None, "definition_hash": "5f0c", "position": 0}
    fields = {"name": "search", "description": None, "input_schema": None}
    assert TABLES["tool_definitions"].read(row) == fields
