"""Queries from Python: through a server, and on the file of a store."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import orjson
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.support.api_server import serving
from tests.support.store import opened

import tracegrade.queries
from tracegrade.queries import ReportError, SqlFailed, SqlRefused, SqlTimedOut, Unavailable, connect
from tracegrade.queries.catalog import migrate

HOLD = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
OWN_REPORT = """-- report:  spans_of
-- purpose: How many spans have this name?
-- named:   the name of the span
select count(*) as n from spans where name = $named
"""
EVERY_TYPE = """
select
    1 as n,
    2 as n,
    timestamp '2026-01-02 03:04:05' as at,
    '{"a": 1}'::json as args,
    uuid '00000000-0000-0000-0000-000000000001' as id,
    ['a'] as tools,
    {'low': 0.5} as share,
    null::double as cost
"""


@contextmanager
def held(file: Path) -> Iterator[int]:
    """The process that has the file open, as a server has."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process.pid
        process.communicate()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a store with one run, which no process has open."""
    with opened(tmp_path) as store:
        store.add_runs(1)
    return tmp_path / "store.duckdb"


@contextmanager
def source(kind: str, file: Path) -> Iterator[str]:
    """What to connect to: the file, or a server over it."""
    if kind == "file":
        yield str(file)
        return
    with serving(file.parent) as url:
        yield url


@pytest.mark.parametrize("kind", ["file", "server"])
def test_answer_is_the_same_from_a_file_and_from_a_server(kind: str, file: Path) -> None:
    with source(kind, file) as place:
        answer = connect(place).sql(EVERY_TYPE)
    at = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - as the store keeps it
    assert repr(answer) == "<1 rows of n, n, at, args, id, tools, share, cost>"
    assert [answer.rows()[0][name] for name in ("n", "n_1", "at", "args", "tools", "share", "cost")] == [
        *(1, 2, at, '{"a": 1}', ["a"], {"low": 0.5}, None)
    ]
    assert answer.arrow().schema.field("at").type == pa.timestamp("us")
    assert isinstance(answer.pandas(), pd.DataFrame)
    assert answer.pandas()[["n", "n_1", "args"]].to_numpy().tolist() == [[1, 2, '{"a": 1}']]
    assert isinstance(answer.polars(), pl.DataFrame)
    assert answer.polars().select("n_1", "at", "tools").row(0) == (2, at, ["a"])


@pytest.mark.parametrize("kind", ["file", "server"])
def test_answer_has_every_row(kind: str, file: Path) -> None:
    with source(kind, file) as place:
        answer = connect(place).sql("select range as n from range(30000)")
        empty = connect(place).sql("select agent_name from runs where false")
    assert (len(answer), answer.pandas()["n"].sum()) == (30_000, 449_985_000)
    assert (len(empty), empty.rows(), empty.polars().columns) == (0, [], ["agent_name"])


@pytest.mark.parametrize("kind", ["file", "server"])
@pytest.mark.parametrize("parameters", [["travel"], {"agent": "travel"}])
def test_parameters_are_passed_by_position_and_by_name(kind: str, parameters: Any, file: Path) -> None:
    place_holder = "?" if isinstance(parameters, list) else "$agent"
    with source(kind, file) as place:
        answer = connect(place).sql(f"select {place_holder} as agent, count(*) as n from runs", parameters)
    assert answer.rows() == [{"agent": "travel", "n": 1}]


@pytest.mark.parametrize("kind", ["file", "server"])
def test_query_that_cannot_be_answered_raises_the_error_of_its_author(kind: str, file: Path) -> None:
    with source(kind, file) as place:
        connection = connect(place)
        with pytest.raises(SqlFailed, match="agent_nam"):
            connection.sql("select agent_nam from runs")
        with pytest.raises(SqlRefused, match="DELETE is refused"):
            connection.sql("delete from runs")
        with pytest.raises(SqlRefused, match="disabled by configuration"):
            connection.sql("select * from read_text('/etc/hosts')")
        with pytest.raises(SqlTimedOut, match=r"limit is 0\.2 s"):
            connection.sql("select sum(a.range * b.range) from range(1000000) a, range(1000000) b", timeout_s=0.2)


@pytest.mark.parametrize("kind", ["file", "server"])
def test_report_is_answered_with_its_parameters(kind: str, file: Path) -> None:
    with source(kind, file) as place:
        answer = connect(place).report("latency", since="2026-01-01", agent="travel")
        assert connect(place).report("latency", since="2026-01-01", agent="other").rows() == []
    assert "search" in str(answer.rows())


def test_report_that_does_not_exist_names_the_nearest(file: Path, tmp_path: Path) -> None:
    connection = connect(file)
    with pytest.raises(ReportError, match="latency"):
        connection.report("latencies")
    with pytest.raises(ReportError, match="no parameter 'agnet'"):
        connection.report("latency", agnet="travel")
    (tmp_path / "own").mkdir()
    (tmp_path / "own/spans_of.sql").write_text(OWN_REPORT)
    assert connection.report("spans_of", folder=tmp_path / "own", named="travel").rows() == [{"n": 0}]


def test_file_is_closed_between_queries(file: Path) -> None:
    connection = connect(f"duckdb:///{file}")
    assert connection.sql("select count(*) as n from runs").rows() == [{"n": 1}]
    with opened(file.parent) as store:
        store.add_runs(2)
    assert connection.sql("select count(*) as n from runs").rows() == [{"n": 2}]


def test_locked_file_names_the_server_that_holds_it(file: Path) -> None:
    with held(file) as pid:
        with pytest.raises(Unavailable, match=f"held by process {pid}"):
            connect(file).sql("from runs")
        file.with_name("store.duckdb.server").write_bytes(orjson.dumps({"url": "http://127.0.0.1:8400"}))
        with pytest.raises(Unavailable, match=r"held by the server at http://127\.0\.0\.1:8400"):
            connect(file).sql("from runs")


def test_note_that_leads_to_another_machine_is_not_repeated(file: Path) -> None:
    file.with_name("store.duckdb.server").write_bytes(orjson.dumps({"url": "http://192.0.2.7:8400"}))
    with held(file), pytest.raises(Unavailable, match="held by process"):
        connect(file).sql("from runs")


def test_file_that_is_not_a_current_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="there is no such file"):
        connect(tmp_path / "none.duckdb").sql("select 1")
    (tmp_path / "text.duckdb").write_text("hello " * 1000)
    with pytest.raises(Unavailable, match="cannot be opened"):
        connect(tmp_path / "text.duckdb").sql("select 1")
    with duckdb.connect(tmp_path / "foreign.duckdb") as foreign:
        foreign.execute("create table t (n int)")
    with pytest.raises(Unavailable, match="not a store of Tracegrade"):
        connect(tmp_path / "foreign.duckdb").sql("from t")


def test_file_of_an_earlier_version_says_what_migrates_it(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "old.duckdb") as old:
        migrate(old)
        old.execute("delete from schema_history where file = (select max(file) from schema_history)")
    with pytest.raises(Unavailable, match="`tracegrade serve` migrates it"):
        connect(tmp_path / "old.duckdb").sql("from runs")


def test_token_is_sent_to_the_server(file: Path) -> None:
    with serving(file.parent, token="secret") as url:
        with pytest.raises(Unavailable, match=r"requires its token: connect\(url, token="):
            connect(url).sql("select 1")
        assert connect(url, token="secret").sql("select 1 as n").rows() == [{"n": 1}]


def test_server_that_does_not_answer_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(Unavailable, match=f"the server at {url} does not answer"):
        connect(url).sql("select 1")


def test_address_that_is_neither_server_nor_file_is_refused() -> None:
    with pytest.raises(ValueError, match="only http://, https://, duckdb:///FILE or a path"):
        connect("postgres://db")
    with pytest.raises(ValueError, match="is a file"):
        connect("store.duckdb", token="secret")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_missing_library_is_named_with_the_command_that_installs_it(
    library: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = connect(file).sql("select 1 as n")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=f"pip install {library}"):
        getattr(answer, library)()


@pytest.mark.parametrize("name", tracegrade.queries.__all__)
def test_public_name_is_there_and_in_dir(name: str) -> None:
    assert getattr(tracegrade.queries, name).__name__ == name
    assert name in dir(tracegrade.queries)
