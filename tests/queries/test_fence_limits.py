"""How long and how much a query may take, and that nobody else suffers from it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tracegrade.queries import fence
from tracegrade.queries.fence import SqlFailed, SqlRefused, SqlTimedOut
from tracegrade.queries.result import Result

ENDLESS = "select count(*) from range(1000000000000)"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(tmp_path / "store.duckdb"), config={"memory_limit": "300MB", "threads": 2}) as connection:
        connection.execute("create table spans as select unnest(['a', 'b']) as trace_id")
        fence.harden(connection)
        yield connection


def read(store: duckdb.DuckDBPyConnection, sql: str, **options: Any) -> Result:
    return fence.read(store.cursor, sql, **{"timeout_s": 30.0, "max_rows": 1000, **options})


def spans(store: duckdb.DuckDBPyConnection) -> int:
    ((count,),) = store.execute("select count(*) from spans").fetchall()
    return int(count)


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(ENDLESS, id="count"),
        pytest.param(
            "with recursive n as (select 1 as i union all select i + 1 from n) select max(i) from n", id="cte"
        ),
        pytest.param("select sleep_ms(60000)", id="sleep"),
        pytest.param("explain analyze " + ENDLESS, id="explain analyze"),
        pytest.param("select max(a.range * b.range) from range(1000000) as a, range(1000000) as b", id="cross join"),
    ],
)
def test_query_without_end_is_stopped_at_its_limit(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(SqlTimedOut, match=r"the limit is 0\.2 s"):
        read(store, sql, timeout_s=0.2)
    assert spans(store) == 2


def test_query_that_nobody_waits_for_is_stopped(store: duckdb.DuckDBPyConnection) -> None:
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(SqlTimedOut):
        read(store, ENDLESS, cancelled=cancelled)


def test_hostile_regular_expression_takes_linear_time(store: duckdb.DuckDBPyConnection) -> None:
    sql = "select regexp_matches(repeat('a', 100000) || 'b', '(a*)*(a*)*(a|a)*c')"
    assert read(store, sql).rows == ((False,),)


@pytest.mark.parametrize(
    ("count", "kept", "truncated"), [(5, 5, False), (6, 5, True), (10**12, 5, True), (0, 0, False)]
)
def test_rows_stop_at_the_cap_and_it_says_so(
    store: duckdb.DuckDBPyConnection, count: int, kept: int, *, truncated: bool
) -> None:
    result = read(store, "select * from range($1::bigint)", parameters=[count], max_rows=5)
    assert (len(result.rows), result.truncated) == (kept, truncated)
    assert [(column.name, column.type) for column in result.columns] == [("range", "BIGINT")]


def test_wide_rows_stop_at_the_size_of_an_answer(store: duckdb.DuckDBPyConnection) -> None:
    result = read(store, "select repeat('x', 100000) as content from range(10000)", max_rows=10_000)
    assert result.truncated
    assert result.table.nbytes < 4 * fence.MAX_RESULT_BYTES


def test_overlong_statement_is_refused_with_the_way_out(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlRefused, match="hand long lists over as parameters"):
        read(store, f"select '{'x' * fence.MAX_SQL_CHARACTERS}'")


def test_query_over_the_memory_limit_fails_and_the_store_goes_on(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlFailed, match="more memory than the store may use"):
        read(store, "select len(list(i)) from range(1000000000) as t(i)")
    assert spans(store) == 2


def test_writer_works_on_while_readers_hammer(store: duckdb.DuckDBPyConnection) -> None:
    batches = 30
    writing = threading.Event()

    def hammer() -> list[int]:
        counts: list[int] = []
        while not writing.is_set():
            counts.append(read(store, "select count(*), sum(hash(trace_id)) from spans").rows[0][0])
            with pytest.raises(SqlRefused):
                read(store, "delete from spans")
            with pytest.raises(SqlTimedOut):
                read(store, ENDLESS, timeout_s=0.01)
        return counts

    with ThreadPoolExecutor() as threads, store.cursor() as writer:
        hammering = [threads.submit(hammer) for _ in range(3)]
        try:
            for number in range(batches):
                table = pa.table({"trace_id": [f"{number}-{row}" for row in range(100)]})
                writer.register("arriving", table)
                writer.execute("insert into spans by name select * from arriving")
            writer.execute("checkpoint")
        finally:
            writing.set()
        for each in hammering:
            counts = each.result()
            assert counts == sorted(counts)
    assert spans(store) == 2 + 100 * batches
