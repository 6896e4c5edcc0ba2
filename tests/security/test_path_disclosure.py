"""Who may read a store over the network does not learn where it is, nor whose home it is in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import duckdb
import httpx
import pytest
from tests.support.api import make_api

from tracegrade.collector.errors import StoreBusy
from tracegrade.collector.receiver.status import refuse
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.errors import StoreFull
from tracegrade.queries import fence
from tracegrade.queries.machine import without_folders
from tracegrade.queries.result import Result

LARGE = "select count(distinct md5(range::varchar)) from range(20000000)"
Ask = Callable[[str], httpx.Response]


class Reader:
    """As the server reads; or what it raises instead."""

    def __init__(self, database: DuckDbFile, error: Exception | None = None) -> None:
        self.database = database
        self.error = error

    def read(self, sql: str, *, cancelled: threading.Event, **limits: Any) -> Result:
        if self.error is not None:
            raise self.error
        return fence.read(self.database.connect, sql, cancelled=cancelled, **limits)

    def stream(self, sql: str, **_: Any) -> Any:
        raise AssertionError(f"nobody asked for all rows of {sql}")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[DuckDbFile]:
    database = DuckDbFile(tmp_path / "store.duckdb", memory_limit="64MB", threads=1)
    yield database
    database.close()


def send_query(reader: Reader, sql: str) -> httpx.Response:
    async def post() -> httpx.Response:
        transport = httpx.ASGITransport(app=make_api(reader=reader))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
            return await client.post("/api/v1/sql", json={"sql": sql})

    return anyio.run(post)


def names(kind: str) -> list[str]:
    """What this DuckDB has of a kind, each as a query."""
    with duckdb.connect() as connection:
        return [row[0] for row in connection.execute(kind).fetchall()]


TABLE_FUNCTIONS = """select distinct 'from ' || function_name || '()' from duckdb_functions()
    where function_type in ('table', 'table_macro') and regexp_full_match(function_name, '\\w+')"""
VIEWS = "select 'from ' || schema_name || '.' || view_name from duckdb_views() where internal"
SETTINGS = "select format('select current_setting(''{}'')', name) from duckdb_settings()"


@pytest.mark.parametrize("kind", [TABLE_FUNCTIONS, VIEWS, SETTINGS], ids=["table functions", "views", "settings"])
def test_nothing_that_duckdb_has_by_itself_tells_a_folder(database: DuckDbFile, kind: str) -> None:
    queries = names(kind)
    assert len(queries) > 20
    told = {sql: send_query(Reader(database), sql).text for sql in queries}
    folders = (str(database.path.parent), str(Path.home()) + "/", str(Path.cwd()))
    assert [sql for sql, text in told.items() if any(folder in text for folder in folders)] == []


@pytest.mark.parametrize(
    "sql",
    [
        "select value from duckdb_settings() where name = 'temp_directory'",
        "select hex(path) from duckdb_databases()",
        'from "DuckDB_Databases"',
        "from system.main.pragma_database_list",
        "from pg_catalog.pg_settings",
        "with found as (from duckdb_databases) from found",
        "select (select path from duckdb_databases limit 1)",
        "summarize duckdb_databases",
        "explain analyze from duckdb_databases()",
        "pivot duckdb_databases on type in ('duckdb') using any_value(path)",
        "from query_table('duckdb_' || 'databases')",
        "select current_setting('secret' || '_directory')",
        "select system.main.current_setting('temp_directory')",
    ],
)
def test_what_tells_the_machine_is_refused_under_any_name(database: DuckDbFile, sql: str) -> None:
    answer = send_query(Reader(database), sql)
    assert answer.status_code == 400
    assert "it describes the machine, not the content of the store" in answer.json()["detail"]


def test_query_that_finds_no_room_beside_the_store_does_not_say_where_that_is(database: DuckDbFile) -> None:
    database.path.with_name("store.duckdb.tmp").write_bytes(b"")  # where DuckDB wants to make a folder
    answer = send_query(Reader(database), LARGE)
    assert answer.status_code == 400
    assert str(database.path.parent) not in answer.text


def test_store_without_room_says_its_name_and_not_its_folder(database: DuckDbFile) -> None:
    full = StoreFull(database.path, OSError(f"could not write to {database.path}.wal"))
    answer = send_query(Reader(database, full), "from spans")
    assert answer.status_code == 503
    message = answer.json()["detail"]
    assert message.startswith("store.duckdb: there is no room on the disk")
    assert "could not write to store.duckdb.wal" in message


def test_sender_is_not_told_where_the_store_is(tmp_path: Path) -> None:
    refusal = refuse(StoreBusy(f'the store did not take it: IO Error: Could not write file "{tmp_path}/store.duckdb"'))
    assert refusal.message == 'the store did not take it: IO Error: Could not write file "store.duckdb"'


@pytest.mark.parametrize(
    "sql", ["select '/srv/data/runs'::int", "select path from '/srv/data/runs'"], ids=["value", "table"]
)
def test_error_that_quotes_the_query_quotes_it_whole(database: DuckDbFile, sql: str) -> None:
    assert "/srv/data/runs" in send_query(Reader(database), sql).json()["detail"]


def test_error_names_no_process() -> None:
    message = "IO Error: Conflicting lock is held in /usr/bin/python3.11 (PID 4711). See also /srv/data/s.duckdb"
    assert without_folders(message) == "IO Error: Conflicting lock is held in python3.11. See also s.duckdb"
