"""How commands reach a server: with the token and no other setting, and how they are told of one that they miss."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.support.command import inside
from tests.support.http_servers import AnswerServer, serve_answer

from tracegrade.collector.client import discovery, source
from tracegrade.collector.client.http_client import HttpClient, Unreachable
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile

ALIVE = b'{"status":"ok"}'
NO_ROWS = b'{"columns": [], "rows": []}'
COMMANDS = [("sql", "select 1"), ("show", "ab"), ("explain", "ab"), ("tail",), ("backlog",), ("reload",)]
ASKING = [("sql", "select 1"), ("sql", "--format", "csv", "select 1"), ("snapshot", "copy.duckdb")]


@contextmanager
def silent() -> Iterator[str]:
    """The URL of somebody who takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@contextmanager
def serve_bytes(content: bytes) -> Iterator[str]:
    """The URL of somebody who says this to each who comes, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as bound:

        def answer() -> None:
            with contextlib.suppress(OSError):  # it is closed
                while True:
                    connection, _ = bound.accept()
                    with connection:
                        connection.recv(65_536)
                        connection.sendall(content)
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(65_536):  # what is left unread would break the connection off sooner
                            pass

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            bound.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_command_without_a_store_is_told_of_the_server_that_answers_where_servers_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    with serve_answer(200, ALIVE) as server:
        monkeypatch.setattr(source, "_USUAL_SERVER", server.url)
        done = inside(*command, at=tmp_path, TRACEGRADE_TOKEN="sesame")
    assert done.code == 4
    assert f"add `--server {server.url}`" in done.err
    assert [asked["path"] for asked in server.asked] == ["/healthz"]
    assert "authorization" not in server.asked[0]


@pytest.mark.parametrize(
    ("status", "content"), [(404, b"Not Found"), (200, b"<html>"), (200, b'["ok"]'), (500, b"")], ids=str
)
def test_stranger_on_that_port_is_not_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, content: bytes
) -> None:
    with serve_answer(status, content) as stranger:
        monkeypatch.setattr(source, "_USUAL_SERVER", stranger.url)
        done = inside("sql", "select 1", at=tmp_path)
    assert done.code == 4
    assert stranger.asked
    assert "--server" not in done.err


def test_who_takes_the_connection_and_says_nothing_delays_the_error_shortly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with silent() as url:
        monkeypatch.setattr(source, "_USUAL_SERVER", url)
        monkeypatch.setattr(source, "_SHORT_PROBE_S", 0.05)
        done = inside("sql", "select 1", at=tmp_path)
    assert done.code == 4
    assert "there is no such store" in done.err
    assert "--server" not in done.err


@pytest.mark.parametrize("where", ["environment", "file", "another file"])
def test_server_is_asked_with_the_token_of_the_settings(tmp_path: Path, where: str) -> None:
    written = "token: sesame\nassembly: {grace: 1s}\n"
    (tmp_path / "tracegrade.yaml").write_text(written if where == "file" else "token: wrong\n")
    (tmp_path / "other.yaml").write_text(written)
    options = ("--config", "other.yaml") if where == "another file" else ()
    variables = {"TRACEGRADE_TOKEN": "sesame"} if where == "environment" else {}
    with serve_answer(200, NO_ROWS) as server:
        done = inside("sql", "--server", server.url, *options, "--format", "json", "select 1", at=tmp_path, **variables)
    assert (done.code, done.out) == (0, NO_ROWS), done.err
    assert [asked["authorization"] for asked in server.asked] == ["Bearer sesame"]


def test_server_is_asked_without_a_token_where_none_is_set(tmp_path: Path) -> None:
    with serve_answer(200, NO_ROWS) as server:
        done = inside("sql", "--server", server.url, "--format", "json", "select 1", at=tmp_path)
    assert done.code == 0
    assert "authorization" not in server.asked[0]


def test_setting_that_is_not_needed_keeps_nobody_from_asking_a_server(tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("assembly: {grace: never}\n")
    with serve_answer(200, NO_ROWS) as server:
        done = inside("sql", "--server", server.url, "--format", "json", "select 1", at=tmp_path)
    assert done.code == 0, done.err


@pytest.mark.parametrize("content", ["token: [a]\n", "token: 12\n"], ids=["list", "number"])
def test_token_that_is_no_text_is_told_with_its_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "tracegrade.yaml").write_text(f"# mine\n{content}")
    done = inside("sql", "--server", "http://127.0.0.1:9", "select 1", at=tmp_path)
    assert done.code == 2
    assert "tracegrade.yaml, line 2: token: write text" in done.err


@pytest.mark.parametrize("url", ["127.0.0.1:8400", "localhost:8400", "ftp://localhost", "http://", "http://a:b"])
@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_what_is_no_address_of_a_server_is_told_with_what_to_write(
    tmp_path: Path, url: str, command: tuple[str, ...]
) -> None:
    done = inside(*command, "--server", url, at=tmp_path)
    assert done.code == 2
    assert "write http://HOST:PORT" in done.err


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_who_does_not_speak_http_is_told_without_what_it_says(tmp_path: Path, command: tuple[str, ...]) -> None:
    with serve_bytes(b"\x1b[2J\x00 nothing of ours\r\n") as url:
        done = inside(*command, "--server", url, at=tmp_path)
    assert done.code == 4
    assert "does not answer: it does not speak HTTP" in done.err
    assert done.err.strip().isprintable()


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_address_where_nothing_of_ours_is_found_is_doubted(tmp_path: Path, command: tuple[str, ...]) -> None:
    with serve_answer(404, b"Not Found") as stranger:
        done = inside(*command, "--server", stranger.url, at=tmp_path)
    assert done.code == 2
    assert f"{stranger.url} answered 404" in done.err
    assert "is this the address of the API" in done.err


@pytest.mark.parametrize("content", ["content-length: 100\r\n\r\nab", "transfer-encoding: chunked\r\n\r\n2\r\nab\r\n"])
@pytest.mark.parametrize(
    ("command", "told"),
    [(ASKING[1], "so the output is incomplete"), (ASKING[2], "sent an incomplete snapshot: it broke off")],
    ids=["sql", "snapshot"],
)
def test_answer_that_breaks_off_is_not_taken_for_the_whole(
    tmp_path: Path, content: str, command: tuple[str, ...], told: str
) -> None:
    with serve_bytes(f"HTTP/1.1 200 OK\r\n{content}".encode()) as url:
        done = inside(*command, "--server", url, at=tmp_path)
    assert (done.code, told in done.err) == (4, True), done.err
    assert list(tmp_path.iterdir()) == []


def test_what_a_fault_quotes_does_not_steer_the_terminal(tmp_path: Path) -> None:
    content = b'{"kind": "failed", "detail": "no number: \\u001b[2J\\nLINE 1"}'
    with serve_answer(400, content) as server:
        done = inside("sql", "--server", server.url, "select 1", at=tmp_path)
    assert done.code == 2
    assert "no number: <U+001B>[2J\nLINE 1" in done.err


@pytest.fixture
def left_behind(tmp_path: Path) -> Iterator[AnswerServer]:
    """Who answers at the address of a server that was killed, and left its note beside a store."""
    store = tmp_path / "s.duckdb"
    DuckDbFile(store).close()
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    with serve_answer(200, ALIVE) as other:
        discovery.leave_note(str(store), url=other.url, otlp_url=other.url, otlp_grpc="127.0.0.1:1", version="1")
        note = discovery.read_note(str(store))
        assert note is not None
        (tmp_path / "s.duckdb.server").write_text(json.dumps({**asdict(note), "pid": ended.pid}))
        yield other


@pytest.mark.parametrize(
    ("command", "code", "told"),
    [
        (("snapshot", "copy.duckdb"), 0, "copy.duckdb: "),
        (("reload",), 4, "no server is running for s.duckdb"),
        (("doctor",), 4, "no server is running for s.duckdb"),
    ],
    ids=["snapshot", "reload", "doctor"],
)
def test_server_that_took_the_address_of_one_that_was_killed_is_not_asked_of_its_store(
    left_behind: AnswerServer, tmp_path: Path, command: tuple[str, ...], code: int, told: str
) -> None:
    done = inside(*command, "--store", "s.duckdb", at=tmp_path)
    assert done.code == code, done.err
    assert told in done.text + done.err
    assert left_behind.asked == []


def test_server_that_does_not_answer_in_time_is_not_reached() -> None:
    with silent() as url, pytest.raises(Unreachable, match=r"no answer within 0\.05 s"):
        HttpClient(url, timeout_s=0.05).get("/healthz")


def test_path_of_the_address_goes_before_the_paths_of_the_api() -> None:
    with serve_answer(200, b"") as server:
        HttpClient(f"{server.url}/graded/", timeout_s=5).get("/healthz")
    assert server.asked[0]["path"] == "/graded/healthz"
