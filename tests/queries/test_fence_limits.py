"""How long and how much a query may take, and that nobody else suffers from it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psutil
import pyarrow as pa
import pytest
from tests.support.fenced_queries import count_spans, read_fenced

from tracegrade.queries import fence
from tracegrade.queries.fence import SqlFailed, SqlRefused, SqlTimedOut
from tracegrade.queries.result import Stream

ENDLESS = "select count(*) from range(1000000000000)"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(tmp_path / "store.duckdb"), config={"memory_limit": "300MB", "threads": 2}) as connection:
        connection.execute("create table spans as select unnest(['a', 'b']) as trace_id")
        fence.harden(connection)
        yield connection


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
        read_fenced(store, sql, timeout_s=0.2)
    assert count_spans(store) == 2


def test_query_that_nobody_waits_for_is_stopped(store: duckdb.DuckDBPyConnection) -> None:
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(SqlTimedOut):
        read_fenced(store, ENDLESS, cancelled=cancelled)


def test_hostile_regular_expression_takes_linear_time(store: duckdb.DuckDBPyConnection) -> None:
    sql = "select regexp_matches(repeat('a', 100000) || 'b', '(a*)*(a*)*(a|a)*c')"
    assert read_fenced(store, sql).rows == ((False,),)


@pytest.mark.parametrize(
    ("count", "kept", "truncated"), [(5, 5, False), (6, 5, True), (10**12, 5, True), (0, 0, False)]
)
def test_rows_stop_at_the_cap_and_it_says_so(
    store: duckdb.DuckDBPyConnection, count: int, kept: int, *, truncated: bool
) -> None:
    result = read_fenced(store, "select * from range($1::bigint)", parameters=[count], max_rows=5)
    assert (len(result.rows), result.truncated) == (kept, truncated)
    assert [(column.name, column.type) for column in result.columns] == [("range", "BIGINT")]


def test_wide_rows_stop_at_the_size_of_an_answer(store: duckdb.DuckDBPyConnection) -> None:
    result = read_fenced(store, "select repeat('x', 100000) as content from range(10000)", max_rows=10_000)
    assert result.truncated
    assert 0 < result.table.nbytes <= fence.MAX_RESULT_BYTES


def test_overlong_statement_is_refused_with_the_way_out(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlRefused, match="pass long lists as parameters"):
        read_fenced(store, f"select '{'x' * fence.MAX_SQL_CHARACTERS}'")


def test_query_over_the_memory_limit_fails_and_the_store_goes_on(store: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(SqlFailed, match="more memory than it may use"):
        read_fenced(store, "select len(list(i)) from range(1000000000) as t(i)")
    assert count_spans(store) == 2


def test_writer_works_on_while_readers_hammer(store: duckdb.DuckDBPyConnection) -> None:
    batches = 30
    writing = threading.Event()

    def hammer() -> list[int]:
        counts: list[int] = []
        while not writing.is_set():
            counts.append(read_fenced(store, "select count(*), sum(hash(trace_id)) from spans").rows[0][0])
            with pytest.raises(SqlRefused):
                read_fenced(store, "delete from spans")
            with pytest.raises(SqlTimedOut):
                read_fenced(store, ENDLESS, timeout_s=0.01)
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
    assert count_spans(store) == 2 + 100 * batches


@contextmanager
def streaming(store: duckdb.DuckDBPyConnection, sql: str, **options: Any) -> Iterator[Stream]:
    with fence.stream(store.cursor, sql, **{"timeout_s": 30.0, **options}) as answer:
        yield answer


def test_stream_has_more_than_memory_holds(store: duckdb.DuckDBPyConnection) -> None:
    process = psutil.Process()
    size = 0
    with streaming(store, "select range as n, repeat(md5(range::varchar), 300) as content from range(60000)") as answer:
        before = process.memory_info().rss
        most = before
        for batch in answer.batches:
            size += batch.nbytes
            most = max(most, process.memory_info().rss)
    assert (answer.row_count, answer.truncated) == (60_000, False)
    assert size > 500 * 2**20
    assert most - before < 200 * 2**20


@pytest.mark.parametrize(("max_rows", "kept", "truncated"), [(5000, 5000, True), (20_000, 20_000, False)])
def test_stream_ends_at_the_rows_asked_for_and_says_whether_there_are_more(
    store: duckdb.DuckDBPyConnection, max_rows: int, kept: int, *, truncated: bool
) -> None:
    with streaming(store, "from range(20000)", max_rows=max_rows) as answer:
        assert sum(batch.num_rows for batch in answer.batches) == kept
    assert answer.truncated is truncated


def test_time_limit_of_a_stream_is_for_rows_that_do_not_come_and_not_for_its_reader(
    store: duckdb.DuckDBPyConnection,
) -> None:
    with streaming(store, "from range(20000)", timeout_s=0.3) as answer:
        first = next(answer.batches)
        threading.Event().wait(0.6)
        assert first.num_rows + sum(batch.num_rows for batch in answer.batches) == 20_000
    slow = "select case when range < 5000 then 0 else sleep_ms(60000) end from range(10000)"
    with pytest.raises(SqlTimedOut, match=r"0\.3 s"), streaming(store, slow, timeout_s=0.3) as answer:
        list(answer.batches)


@pytest.mark.parametrize("sql", ["delete from spans", "from read_text('/etc/hostname')", "select 1; select 2"])
def test_stream_passes_the_same_fence(store: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(SqlRefused), streaming(store, sql):
        pass
    assert count_spans(store) == 2


def test_stream_that_is_cancelled_after_its_store_was_closed_ends_quietly(store: duckdb.DuckDBPyConnection) -> None:
    cancelled = threading.Event()
    with streaming(store, "from spans", cancelled=cancelled):
        (watcher,) = (one for one in threading.enumerate() if one.name == "sql-deadline")
        store.close()
        cancelled.set()
        watcher.join(0.3)
        assert watcher.is_alive()


def test_stream_of_an_instance_that_is_not_shut_off_is_a_mistake_of_ours() -> None:
    with duckdb.connect() as open_, pytest.raises(RuntimeError, match="harden"), streaming(open_, "select 1"):
        pass
