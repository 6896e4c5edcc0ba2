"""A query of somebody who may read, whatever it says, and what it costs everybody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from tests.support.nightly import rest_at_night
from tests.support.polling import until

from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.maintenance import checkpoints as policy
from tracegrade.collector.store.maintenance.checkpoints import Checkpoints
from tracegrade.queries.fence import SqlError, SqlFailed, SqlTimedOut
from tracegrade.queries.ports import Unavailable
from tracegrade.queries.result import Result

MIB = 2**20
READER = "tracegrade.collector.store.engines.duckdb_file.reader"

HOSTILE = [
    pytest.param("select len(range(1000000000))", id="a list while planning"),
    pytest.param("select length(repeat('x', 3500000000))", id="a text while planning"),
    pytest.param("select len(range(n)) from (select 1000000000 as n from range(3))", id="a list of a column"),
    pytest.param("select len(list_transform(range(100000), x -> len(range(x * 1000))))", id="lists in a list"),
    pytest.param("select json_serialize_plan('select ' || repeat('1+', 900) || '1')", id="a plan within the plan"),
    pytest.param(f"select {'(' * 30000}1{')' * 30000}", id="parentheses"),
    pytest.param("select levenshtein(repeat('a', 300000), repeat('b', 300000))", id="one long call"),
    pytest.param("select count(*) from range(100000000000)", id="a long scan"),
    pytest.param(
        "with recursive n as (select 1 as i union all select i + 1 from n) select max(i) from n", id="endless"
    ),
    pytest.param("select list(i) over () from range(3000000) r(i)", id="lists in a window"),
]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[DuckDbFile]:
    opened = DuckDbFile(tmp_path / "store.duckdb", query_bytes=100 * MIB, checkpoints_itself=False)
    yield opened
    opened.close()


def read(database: DuckDbFile, sql: str, *, timeout_s: float = 20.0) -> Result:
    return database.readers.read(sql, timeout_s=timeout_s, max_rows=1000)


def stop_readers(database: DuckDbFile) -> bool:
    """Stops the queries that run now; says that none may have."""
    database.readers.stop()
    return False


def write_rows(database: DuckDbFile, count: int) -> None:
    """Writes so many log records."""
    with database.cursor() as connection:
        connection.execute("create table if not exists kept (i bigint)")
        connection.execute("insert into kept select * from range($1)", [count])


def readers() -> list[psutil.Process]:
    """The processes that answer queries now."""
    alive = [one for one in psutil.Process().children() if one.status() != psutil.STATUS_ZOMBIE]
    forking = [one for one in alive if READER in one.cmdline()]
    return [one for each in forking for one in each.children() if one.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("sql", rest_at_night(4, HOSTILE))
def test_query_ends_soon_after_its_limit_and_takes_nothing_with_it(database: DuckDbFile, sql: str) -> None:
    used = psutil.Process().memory_info().rss
    began = time.monotonic()
    with pytest.raises(SqlError):
        read(database, sql, timeout_s=1.0)
    assert time.monotonic() - began < 10
    assert psutil.Process().memory_info().rss - used < 50 * MIB
    assert not readers()
    assert read(database, "select 42").rows == ((42,),)


def test_query_over_a_limit_says_which_and_what_raises_it(database: DuckDbFile) -> None:
    with pytest.raises(SqlTimedOut) as late:
        read(database, "select count(*) from range(100000000000)", timeout_s=0.3)
    assert (late.value.limit, late.value.setting) == (0.3, "timeout_s")
    with pytest.raises(SqlFailed) as large:
        read(database, "select len(list(i)) from range(1000000000) as t(i)")
    assert large.value.setting == "query_memory"


def test_query_reads_what_has_just_been_committed(database: DuckDbFile) -> None:
    write_rows(database, 10)
    assert read(database, "select count(*) from kept").rows == ((10,),)
    write_rows(database, 1)
    assert read(database, "select count(*) from kept").rows == ((11,),)


def test_writing_goes_on_while_a_query_runs(database: DuckDbFile) -> None:
    write_rows(database, 10)
    cancelled = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        endless = "select count(*) from kept, range(100000000000)"
        running = thread.submit(database.readers.read, endless, timeout_s=60.0, max_rows=1, cancelled=cancelled)
        until(readers)
        write_rows(database, 5)
        assert read(database, "select count(*) from kept").rows == ((15,),)
        cancelled.set()
        with pytest.raises(SqlTimedOut):
            running.result(10)


def test_query_joins_the_tables_that_it_is_given(database: DuckDbFile) -> None:
    due = pa.table({"run": ["a", "b"], "seen": [1, 2], "names": [["x"], ["y", "z"]]})
    asked = "select run, 0.5::double from due order by run"
    found = database.readers.read(asked, timeout_s=20.0, max_rows=5, tables={"due": due})
    assert found.rows == (("a", 0.5), ("b", 0.5))


def test_file_stays_as_it_is_while_somebody_reads_it(database: DuckDbFile) -> None:
    write_rows(database, 1000)
    checkpoints = Checkpoints(database, clock=lambda: 1e9, free_bytes=lambda: 2**40)
    with database.readers.stream("select * from range(100000000)", timeout_s=60.0) as answer:
        next(iter(answer.batches))
        checkpoints._last_at = 0.0
        checkpoints.attend(is_idle=True)
        assert database.wal_bytes
    checkpoints._not_before = 0.0
    checkpoints.attend(is_idle=True)
    assert not database.wal_bytes


def test_log_is_folded_though_there_is_always_somebody_who_reads(
    database: DuckDbFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "_MUCH_BYTES", 1)
    monkeypatch.setattr(policy, "_HUGE_BYTES", 2**40)
    write_rows(database, 1000)
    checkpoints = Checkpoints(database, free_bytes=lambda: 2**40)
    with ThreadPoolExecutor() as threads:
        endless = threads.submit(read, database, "select count(*) from range(100000000000)", timeout_s=60.0)
        until(readers)
        checkpoints.attend(is_idle=False)
        assert database.wal_bytes
        late = threads.submit(read, database, "select count(*) from kept")
        assert not endless.done()
        checkpoints._not_before = 0.0
        checkpoints.attend(is_idle=False)
        assert not database.wal_bytes
        assert late.result(10).rows == ((1000,),)
        assert not endless.done()  # it has begun again
        until(lambda: stop_readers(database) or endless.done())
        with pytest.raises(Unavailable, match="was interrupted"):
            endless.result(10)


def test_readers_are_let_in_where_the_log_cannot_be_folded_after_all(
    database: DuckDbFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "_MUCH_BYTES", 1)
    write_rows(database, 1000)
    free = [2**40]
    checkpoints = Checkpoints(database, free_bytes=lambda: free[0])
    with database.readers.stream("select * from range(100000000)", timeout_s=60.0) as answer:
        next(iter(answer.batches))
        checkpoints.attend(is_idle=False)
        assert database.readers.are_held
        free[0] = 0
        checkpoints._not_before = 0.0
        checkpoints.attend(is_idle=False)
        assert read(database, "select count(*) from kept").rows == ((1000,),)


def test_process_that_dies_is_a_failure_of_its_query_alone(database: DuckDbFile) -> None:
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(read, database, "select count(*) from range(100000000000)", timeout_s=60.0)
        until(readers)
        for one in readers():
            one.send_signal(signal.SIGKILL)
        with pytest.raises(SqlFailed, match="its process has ended"):
            running.result(10)
    assert read(database, "select 42").rows == ((42,),)


def test_process_that_readers_are_forked_from_is_replaced(database: DuckDbFile) -> None:
    assert read(database, "select 42").rows == ((42,),)
    for one in psutil.Process().children():
        if READER in one.cmdline():
            one.kill()
    assert read(database, "select 42").rows == ((42,),)


def test_queries_begin_again_when_the_store_is_opened_again(database: DuckDbFile) -> None:
    write_rows(database, 3)
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(read, database, "select count(*) from range(100000000000)", timeout_s=60.0)
        until(readers)
        database.reopen()
        assert not running.done()
        until(lambda: stop_readers(database) or running.done())
        with pytest.raises(Unavailable, match="was interrupted"):
            running.result(10)
    assert read(database, "select count(*) from kept").rows == ((3,),)


def test_store_is_held_by_its_server_alone_while_it_is_read(database: DuckDbFile, tmp_path: Path) -> None:
    with database.readers.stream("select * from range(100000000)", timeout_s=60.0) as answer:
        next(iter(answer.batches))
        assert _as_others_see_it(tmp_path / "store.duckdb") == (os.getpid(), True)


def test_query_that_runs_long_stands_back_behind_those_that_have_just_begun(database: DuckDbFile) -> None:
    with ThreadPoolExecutor() as pool:
        long = pool.submit(read, database, "select count(*) from range(100000000000)", timeout_s=4.0)
        until(lambda: [_niceness(one) for one in readers()] == [{19}])
        read(database, "select 1", timeout_s=4.0)
        with pytest.raises(SqlTimedOut):
            long.result()


def _niceness(process: psutil.Process) -> set[int]:
    """Of all its threads."""
    return {os.getpriority(os.PRIO_PROCESS, thread.id) for thread in process.threads()}


def test_query_leaves_nothing_beside_the_store(database: DuckDbFile, tmp_path: Path) -> None:
    with pytest.raises(SqlError):
        read(database, "select * from range(100000000) order by random()", timeout_s=3.0)
    (tmp_path / "store.duckdb.query-left").mkdir()
    database.close()
    DuckDbFile(tmp_path / "store.duckdb", query_bytes=100 * MIB).close()
    assert {one.name for one in tmp_path.iterdir()} == {"store.duckdb"}


def _as_others_see_it(path: Path) -> tuple[int, bool]:
    """The process that holds the store, and whether DuckDB may not even read it elsewhere."""
    code = (
        "import sys, duckdb, pathlib\n"
        "from tracegrade.collector.store.engines.duckdb_file.holder import find_holder\n"
        "pid = find_holder(pathlib.Path(sys.argv[1]))\n"
        "try: duckdb.connect(sys.argv[1], read_only=True)\n"
        "except duckdb.IOException: print(pid, True)\n"
        "else: print(pid, False)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    pid, is_refused = done.stdout.split()
    return int(pid), is_refused == "True"
