"""Clients of Quack, DuckDB's remote protocol, read the store through the fence."""

from __future__ import annotations

import re
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from tests.support.disk import growth_forbidden
from tests.support.store import opened

from tracegrade.collector.config.settings import load
from tracegrade.collector.server.quack import listener_of
from tracegrade.collector.store.engines.duckdb_file import quack
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.engines.location import QuackListener
from tracegrade.collector.store.errors import StoreInvalidated, StoreUnavailable

TOKEN = 'it\'s "odd"'
CLIENT = Path(sysconfig.get_path("scripts")) / "duckdb"
PAGE = Path(__file__).parents[4] / "queries/docs/quack.md"
SESSION = re.compile(r"^```text\n(.*?)^```", re.MULTILINE | re.DOTALL)


def why_not() -> str | None:
    """Why Quack cannot run here; None if it can."""
    try:
        quack.find_extensions()
    except StoreUnavailable as missing:
        return str(missing)
    return None


needs_quack = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")


def listener(token: str = TOKEN) -> QuackListener:
    """A free port on this machine."""
    found = listener_of(load(listen={"quack": "127.0.0.1:0"}, token=token))
    assert found is not None
    return found


@contextmanager
def answering(path: Path, at: QuackListener) -> Iterator[DuckDbFile]:
    """The store at `path`, which answers clients."""
    database = DuckDbFile(path, threads=1, checkpoints_itself=False, quack=at)
    try:
        database.answer_quack()
        yield database
    finally:
        database.close()


@contextmanager
def attached(at: QuackListener, token: str = TOKEN) -> Iterator[duckdb.DuckDBPyConnection]:
    """A client that has attached the store as `tg`."""
    with duckdb.connect() as client:
        for file in quack.find_extensions():
            client.execute(f"load '{file}'")
        client.execute(f"attach '{at.uri}' as tg (token '{quoted(token)}')")
        yield client


def quoted(text: str) -> str:
    return text.replace("'", "''")


def remotely(client: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[object, ...]]:
    """What the server answers to `sql`."""
    return client.execute(f"from tg.query('{quoted(sql)}')").fetchall()


@dataclass(frozen=True)
class Answering:
    """A store that answers clients at an address."""

    at: QuackListener
    database: DuckDbFile


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answering]:
    """A store with a run in each of two traces, which answers clients: extensions take a second to load."""
    folder, at = tmp_path_factory.mktemp("served"), listener()
    with opened(folder) as store:
        store.add_runs(1, 2)
    with answering(folder / "store.duckdb", at) as database:
        yield Answering(at, database)


@pytest.fixture(scope="module")
def client(served: Answering) -> Iterator[duckdb.DuckDBPyConnection]:
    """A client of that store."""
    with attached(served.at) as client:
        yield client


@needs_quack
def test_documented_session_shows_what_the_client_of_the_command_line_shows(served: Answering) -> None:
    session = "".join(SESSION.findall(PAGE.read_text(encoding="utf-8")))
    installed = "".join(f"load '{file}';\n" for file in quack.find_extensions())
    typed = [line.removeprefix("D ") for line in session.splitlines() if line.startswith("D ")]
    words = installed + "\n".join(line for line in typed if not line.startswith(("install", "load")))
    shown = [line for line in session.splitlines() if not line.startswith("D ")]
    done = subprocess.run(
        [CLIENT, "-init", "/dev/null"],
        input=words.replace("quack:127.0.0.1:8410", served.at.uri).replace("sesame", quoted(TOKEN)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert [*done.stdout.splitlines(), done.stderr.splitlines()[0]] == shown


@needs_quack
@pytest.mark.parametrize(
    ("sql", "message"),
    [
        pytest.param("select 1; delete from scores", "this is 2 statements", id="two statements"),
        pytest.param("drop table scores", "DROP is refused", id="a change"),
        pytest.param("/**/ insert into scores default values", "INSERT is refused", id="an insert"),
        pytest.param("set memory_limit = '1GB'", "SET is refused", id="a setting"),
        pytest.param("select current_setting('memory_limit')", "describes the machine", id="the machine"),
        pytest.param("from quack_stop('quack:127.0.0.1:1')", "quack_stop is refused", id="its own functions"),
        pytest.param("from read_text('/etc/hostname')", "Cannot access file", id="a file"),
        pytest.param("select (", "syntax error", id="no SQL"),
        pytest.param("from scorez", 'Did you mean "scores"', id="an unknown table"),
    ],
)
def test_statement_that_is_refused_fails_with_the_message_of_the_fence(
    client: duckdb.DuckDBPyConnection, sql: str, message: str
) -> None:
    with pytest.raises(duckdb.Error, match=re.escape(message)):
        remotely(client, sql)


@needs_quack
def test_rows_that_a_client_appends_are_refused_and_none_is_written(
    served: Answering, client: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(duckdb.Error, match="Authorization failed"):
        client.execute("insert into tg.paused_evaluators values ('appended', timestamp '2026-01-01')")
    with pytest.raises(duckdb.Error, match="is refused"):
        client.execute("create table tg.mine (a integer)")
    with served.database.cursor() as connection:
        stored = connection.execute("from paused_evaluators").fetchall()
    assert "appended" not in {row[0] for row in stored}


@needs_quack
def test_client_with_another_token_is_refused(served: Answering) -> None:
    with pytest.raises(duckdb.Error, match="Authentication failed"), attached(served.at, "another"):
        pass


@needs_quack
def test_client_that_reads_keeps_neither_writes_nor_checkpoints_from_being_made(
    served: Answering, client: duckdb.DuckDBPyConnection
) -> None:
    reading = client.cursor().execute("from tg.query('select * from range(10000000)')")
    assert reading.fetchone() == (0,)
    with served.database.connect_writer() as writer:
        writer.execute("insert into paused_evaluators values ('x', timestamp '2026-01-01')")
    served.database.checkpoint(wait_s=0)
    assert served.database.wal_bytes == 0
    assert remotely(client, "select count(*) from paused_evaluators") == [(1,)]
    assert reading.fetchone() == (1,)


@needs_quack
def test_clients_are_answered_by_a_store_that_was_opened_again_but_keep_an_invalid_one_open(tmp_path: Path) -> None:
    path, at = tmp_path / "store.duckdb", listener()
    with answering(path, at) as database, attached(at) as client:
        database.reopen()
        client.execute(f"detach tg; attach '{at.uri}' as tg (token '{quoted(TOKEN)}')")
        assert remotely(client, "select count(*) from runs") == [(0,)]
        with database.connect_writer() as writer:
            writer.execute("insert into paused_evaluators select md5(range::text), now() from range(60000)")
        with growth_forbidden(path), pytest.raises(StoreInvalidated):
            database.checkpoint(wait_s=0)
        with pytest.raises(StoreUnavailable, match="start the server again"):
            database.reopen()


def test_missing_extension_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quack, "find_spec", lambda _: None)
    with pytest.raises(StoreUnavailable, match=r"pip install 'tracegrade\[quack\]'"):
        quack.find_extensions()


def test_extension_for_another_version_of_duckdb_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb, "__version__", "9.9.9")
    with pytest.raises(StoreUnavailable, match=r"httpfs is installed for DuckDB \S+, but this is DuckDB 9.9.9"):
        quack.find_extensions()
