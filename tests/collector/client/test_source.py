"""What reading commands are told when a query fails, by the store itself and by a server that holds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support.api import make_api
from tests.support.http_servers import serve, serve_answer
from tests.support.store import Store, opened

from tracegrade.collector.client.source import LocalSource, RemoteSource, Source, Unacceptable, open_source
from tracegrade.collector.config.settings import Settings
from tracegrade.collector.errors import Fault, SqlRefused
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.engines.readers import InProcess
from tracegrade.collector.store.errors import StoreOutdated


@contextmanager
def served(store: Store, **limits: Any) -> Iterator[RemoteSource]:
    """A source that asks a server of this store."""
    with serve(make_api(reader=InProcess(store.database.connect))) as url:
        yield RemoteSource(url, token=None, **{"max_rows": 10, "timeout_s": 5.0, **limits})


def catch_refusal(source: Source, sql: str) -> SqlRefused:
    with pytest.raises(SqlRefused) as told:
        source.read(sql)
    return told.value


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        pytest.param("select nonesuch from spans", "nonesuch", id="failed"),
        pytest.param("drop table spans", "DROP is refused", id="refused"),
        pytest.param("select count(*) from range(1_000_000) a, range(1_000_000) b", "limit is 0.2 s", id="too long"),
    ],
)
def test_query_that_fails_is_told_apart_from_all_else_by_the_file_and_by_a_server(
    tmp_path: Path, sql: str, message: str
) -> None:
    with opened(tmp_path) as store, served(store, timeout_s=0.2) as of_server:
        for source in (LocalSource(store.database, timeout_s=0.2), of_server):
            told = catch_refusal(source, sql)
            assert message in str(told)
            assert told.exit_code == 2


def test_server_that_does_not_understand_us_says_nothing_of_the_query(tmp_path: Path) -> None:
    with (
        opened(tmp_path) as store,
        served(store, max_rows=0) as source,
        pytest.raises(Fault, match="max_rows") as told,
    ):
        source.read("select 1")
    assert type(told.value) is Unacceptable
    assert told.value.exit_code == 2


@pytest.mark.parametrize(
    ("status", "exit_code"), [(404, 2), (408, 2), (409, 2), (401, 4), (403, 4), (500, 4), (503, 4)]
)
@pytest.mark.parametrize("body", [b"a proxy", b'{"detail": "x"}', b'{"kind": "busy", "detail": "a proxy"}'])
def test_refusal_of_another_kind_is_a_fault_by_its_status(status: int, exit_code: int, body: bytes) -> None:
    with serve_answer(status, body) as server, pytest.raises(Fault) as told:
        RemoteSource(server.url, max_rows=10, timeout_s=5.0, token=None).read("select 1")
    is_ours = b"kind" in body
    assert type(told.value) is (Unacceptable if exit_code == 2 and is_ours else Fault)
    assert told.value.exit_code == exit_code


def test_file_that_is_opened_for_reading_only_cannot_be_changed(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    with open_source(Settings(store=str(tmp_path / "store.duckdb")), read_only=True) as source:
        assert isinstance(source, LocalSource)
        assert source.read("select count(*) from agent_traces").rows == ((0,),)
        with source.database.cursor() as connection, pytest.raises(duckdb.InvalidInputException, match="read-only"):
            connection.execute("delete from agent_traces")


def test_file_of_an_earlier_version_is_migrated_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    duckdb.connect(str(path)).close()
    with pytest.raises(StoreOutdated, match="written by an earlier version"):
        DuckDbFile(path, read_only=True)
    with open_source(Settings(store=str(path)), read_only=True) as source:
        assert source.read("select count(*) from agent_traces").rows == ((0,),)
