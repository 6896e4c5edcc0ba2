"""Everything that a query might try besides reading, on a real file, and what it must still be able to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from tests.support.fenced_queries import count_spans, read_fenced

from tracegrade.queries import fence
from tracegrade.queries.fence import SqlError, SqlFailed, SqlRefused
from tracegrade.queries.fence.admission import ACTING

# What only looks, what `enable_external_access = false` stops, and what is merely never twice the same. Whoever meets
# another one in a new DuckDB decides here or in the fence's own list.
HARMLESS = re.compile(
    r"duckdb_\w+|pragma_\w+|parquet_\w+|read_\w+|sniff_csv|glob|seq_scan|test_(all|vector)_types|query_table|summary"
    r"|generate_series|range|repeat|repeat_row|unnest|json_each|json_tree|histogram|histogram_values"
    r"|pg_timezone_names|icu_calendar_names|current_\w+|currval|getvariable|in_search_path|txid_current"
    r"|get_current_\w+|now|today|transaction_timestamp|gen_random_uuid|uuid(v[47])?|random|setseed"
    r"|error|sleep_ms|stats|vector_type"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(tmp_path / "store.duckdb"), config={"memory_limit": "300MB", "threads": 2}) as connection:
        connection.execute("create table spans (trace_id varchar, tool_name varchar, duration_ms double)")
        connection.execute("insert into spans values ('a', 'search', 1.5), ('b', 'refund', null)")
        connection.execute("create sequence numbers")
        connection.execute("create view tools as select distinct tool_name from spans")
        fence.harden(connection)
        yield connection


@pytest.mark.parametrize(
    "sql",
    [
        "select * from spans",
        "from spans",
        "table spans",
        "values (1), (2)",
        "(select 1)",
        "with slow as (select * from spans where duration_ms > 1) select * from slow",
        "with recursive n as (select 1 as i union all select i + 1 from n where i < 5) select * from n",
        "describe spans",
        "describe select 1",
        "show tables",
        "show spans",
        "summarize spans",
        "from (describe spans)",
        "explain select * from spans",
        "explain analyze select * from spans",
        "EXPLAIN (ANALYZE, FORMAT JSON) SELECT 1",
        "-- why?\n/* oh; */ explain /* so */ select 1",
        "pivot spans on tool_name in ('search', 'refund') using count(*)",
        "unpivot (select duration_ms from spans) on duration_ms",
        "select 'insert; delete; drop' as words -- ; delete from spans",
        "select 1;",
        "select 1; -- done",
        "; select 1",
        "select 'select * from checkpoint()' as text",
        "select 1 as checkpoint, 2 as query",
        "select now(), random(), uuid()",
        "select e'\\n', $$ ; $$, \"tool_name\" from spans",
    ],
)
def test_query_is_answered(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert read_fenced(store, sql).rows


@pytest.mark.parametrize(
    "sql",
    [
        "insert into spans values ('c', 'x', 1)",
        "update spans set tool_name = 'x'",
        "delete from spans",
        "truncate spans",
        "merge into spans using spans as other on true when matched then delete",
        "drop table spans",
        "alter table spans add column more int",
        "comment on table spans is 'x'",
        "create table more as select 1",
        "create temp table more as select 1",
        "create macro twice(x) as x * 2",
        "create temp macro twice(x) as x * 2",
        "create view more as select 1",
        "create type mood as enum ('good')",
        "create secret (type s3)",
        "copy spans to '/dev/null'",
        "copy (select 1) to '/dev/null'",
        "copy spans from '/etc/passwd'",
        "attach ':memory:' as other",
        "detach store",
        "use memory",
        "install httpfs",
        "load httpfs",
        "update extensions",
        "set threads = 1",
        "set variable answer = 42",
        "reset threads",
        "pragma threads = 1",
        "pragma version",
        "pragma table_info('spans')",
        "pragma enable_profiling",
        "pragma copy_database('store', 'other')",
        "pragma import_database('/etc')",
        "call range(3)",
        "checkpoint",
        "force checkpoint",
        "vacuum",
        "analyze",
        "begin",
        "commit",
        "rollback",
        "prepare p as select 1",
        "execute p",
        "deallocate p",
        "export database '/nonesuch'",
        "import database '/etc'",
        "",
        "-- nothing",
        "select 1; select 2",
        "select 1; delete from spans",
        "select 1\0; delete from spans",
        "pivot spans on tool_name using count(*)",
        "create temp type mood as enum ('good'); select 1",
        "explain delete from spans",
        "explain analyze delete from spans",
        "explain analyze insert into spans values ('c', 'x', 1)",
        "explain analyze checkpoint",
        "explain analyze create temp table more as select 1",
        "explain analyze set variable answer = 42",
        "explain analyze copy (select 1) to '/dev/null'",
        "explain /* analyze */ call range(3)",
        "explain analyze select * from checkpoint()",
    ],
)
def test_statement_that_does_more_than_read_is_refused(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(SqlRefused):
        read_fenced(store, sql)
    assert count_spans(store) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "select * from checkpoint()",
        "select * from system.main.checkpoint()",
        'select * from "CheckPoint" ()',
        "select * from force_checkpoint()",
        "select * from enable_logging()",
        "select * from disable_logging()",
        "select * from truncate_duckdb_logs()",
        "select * from enable_profiling()",
        "select write_log('x')",
        "select tool_name.write_log() from spans",
        "select [write_log(t) for t in ['x']]",
        "select count(*) filter (where write_log('x') is null) from spans",
        "select * from spans order by write_log('x') limit (select write_log('y'))",
        "with c as materialized (from checkpoint()) from c",
        "describe select * from checkpoint()",
        "from (summarize select * from checkpoint())",
        "select nextval('numbers')",
        "from quack_stop('quack:localhost')",
        "from quack_query('quack:localhost', 'select 1')",
        "select * from query('select 1')",
        "select * from query('delete from spans')",
        "select * from json_execute_serialized_sql(json_serialize_sql('from checkpoint()'))",
        "select * from duckdb_secrets()",
        "select * from which_secret('s3://bucket', 's3')",
        "select * from arrow_scan(1, 2, 3)",
        "select * from pandas_scan(1)",
    ],
)
def test_function_that_acts_is_refused_wherever_it_is_called(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(SqlRefused, match="the function"):
        read_fenced(store, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_text('/etc/passwd')",
        "select * from read_blob('/etc/passwd')",
        "select * from read_csv('/etc/passwd')",
        "select * from read_json('/etc/passwd')",
        "select * from read_parquet('/etc/passwd')",
        "select * from parquet_metadata('/etc/passwd')",
        "select * from sniff_csv('/etc/passwd')",
        "select * from glob('/etc/*')",
        "select * from '/etc/passwd'",
        "select * from '/etc/passwd.csv'",
        "select * from query_table('/etc/passwd')",
        "select * from read_csv('https://example.com/x.csv')",
        "select getenv('HOME')",
        "select * from python_variable",
    ],
)
def test_nothing_outside_of_the_store_can_be_read(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    python_variable = pa.table({"secret": [1]})
    with pytest.raises((SqlRefused, SqlFailed)):
        read_fenced(store, sql)
    assert python_variable.num_rows == 1


def test_files_are_refused_even_while_the_statement_is_parsed(store: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("select 'read from a file' as text;")
    (tmp_path / "load.sql").write_text("")
    with pytest.raises(SqlRefused):
        read_fenced(store, f"import database '{tmp_path}'")


@pytest.mark.parametrize("verb", ["delete from spans", "insert into spans values ('c', 'x', 1)"])
def test_writing_inside_of_a_select_is_refused(store: duckdb.DuckDBPyConnection, verb: str) -> None:
    with pytest.raises(SqlError):  # 1.5: it does not parse; 2.0: it does, and the transaction is read-only
        read_fenced(store, f"with d as ({verb} returning *) select * from d")
    assert count_spans(store) == 2


def test_every_function_of_this_duckdb_that_could_act_is_known(store: duckdb.DuckDBPyConnection) -> None:
    rows = store.execute(
        "select distinct function_name from duckdb_functions() where internal and function_type in"
        " ('table', 'table_macro') or stability = 'VOLATILE' or has_side_effects"
    ).fetchall()
    assert rows
    names = {name for (name,) in rows}
    assert {name for name in names if not HARMLESS.fullmatch(name) and not ACTING.fullmatch(name)} == set()


def test_refusal_says_what_was_refused_and_what_is_allowed(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlRefused, match=r"DELETE is refused\. Allowed is one SELECT"):
        read_fenced(store, "delete from spans")


def test_error_of_the_query_is_duckdbs(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlFailed, match=r'"tool" not found(?s:.*)"tool_name"'):
        read_fenced(store, "select tool from spans")


def test_syntax_error_names_its_line(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlFailed, match=r"LINE 2: where where"):
        read_fenced(store, "select * from spans\nwhere where")


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(
            "select case when i > 50000 then error('late') else i end from range(100000) as t(i)", id="stream"
        ),
        pytest.param("select " + "[" * 5000 + "1" + "]" * 5000, id="nested deeply"),
        pytest.param("select '1'::bit", id="type without an exact form"),
        pytest.param("select $1 + $named", id="mixed parameters"),
    ],
)
def test_failing_query_fails_and_the_store_goes_on(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(SqlFailed):
        read_fenced(store, sql, max_rows=100_000)
    assert count_spans(store) == 2


@pytest.mark.parametrize(
    ("sql", "parameters", "rows"),
    [
        pytest.param("select $1::int + $2::int", [1, 2], ((3,),), id="positions"),
        pytest.param("select tool_name from spans where trace_id = ?", ["b"], (("refund",),), id="question mark"),
        pytest.param("select tool_name from spans where trace_id = $id", {"id": "a"}, (("search",),), id="names"),
        pytest.param(
            "select $1::varchar", ["'; delete from spans; --"], (("'; delete from spans; --",),), id="hostile"
        ),
        pytest.param("select * from read_text($1)", ["/etc/passwd"], None, id="file name"),
        pytest.param("select $1::int", [], None, id="missing"),
    ],
)
def test_parameters_are_values(
    store: duckdb.DuckDBPyConnection, sql: str, parameters: Any, rows: tuple[Any, ...] | None
) -> None:
    if rows is None:
        with pytest.raises(SqlError):
            read_fenced(store, sql, parameters=parameters)
    else:
        assert read_fenced(store, sql, parameters=parameters).rows == rows
    assert count_spans(store) == 2


@pytest.mark.parametrize("zone", ["session", "global"])
def test_times_are_utc_whatever_the_machine_thinks(zone: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"set {zone} timezone = 'Asia/Kathmandu'")
        fence.harden(connection)
        fence.harden(connection)  # a second owner may be as careful as the first
        for each in (connection, connection.cursor()):
            assert each.execute("select current_setting('timezone')").fetchall() == [("UTC",)]


def test_instance_that_is_not_shut_off_is_not_read() -> None:
    with duckdb.connect() as connection, pytest.raises(RuntimeError, match="harden"):
        read_fenced(connection, "select 1")


def test_query_may_join_what_its_cursor_has_registered(store: duckdb.DuckDBPyConnection) -> None:
    def with_due() -> duckdb.DuckDBPyConnection:
        return store.cursor().register("due", pa.table({"trace_id": ["b"]}))

    sql = "select tool_name from spans join due using (trace_id)"
    assert fence.read(with_due, sql, timeout_s=30, max_rows=10).rows == (("refund",),)
    with pytest.raises(SqlFailed, match="due does not exist"):
        read_fenced(store, sql)


def test_writer_still_inserts_what_it_registers_and_checkpoints(store: duckdb.DuckDBPyConnection) -> None:
    store.register("arriving", pa.table({"trace_id": ["c"], "tool_name": ["search"], "duration_ms": [2.0]}))
    store.execute("insert into spans select * from arriving")
    store.unregister("arriving")
    store.execute("checkpoint")
    assert read_fenced(store, "select count(*) from spans").rows == ((3,),)


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("select 1", "select 1"),
        ("select 1;", "select 1"),
        ("select ';--' ; -- done\n;;", "select ';--' "),
        ("select 'ä€' /* ; */ ; /* x; */", "select 'ä€' /* ; */ "),
        ("select 1 -- ;", "select 1 -- ;"),
        ("", ""),
    ],
    ids=["no semicolon", "a semicolon", "a comment behind it", "beyond ascii", "in a comment", "nothing"],
)
def test_query_without_its_end_can_stand_in_parentheses(query: str, left: str) -> None:
    assert fence.without_end(query) == left
