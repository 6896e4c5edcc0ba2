"""How commands reach a server: with the token and no other setting, and how they are told of one that they miss."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.answering import canned
from tests.support.command import inside

from tracegrade.collector.cli import source
from tracegrade.collector.cli.http_client import HttpClient, Unreachable

ALIVE = b'{"status":"ok"}'
NO_ROWS = b'{"columns": [], "rows": []}'
COMMANDS = [("sql", "select 1"), ("show", "ab"), ("explain", "ab"), ("tail",), ("backlog",), ("reload",)]


@contextmanager
def silent() -> Iterator[str]:
    """The URL of somebody who takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_command_without_a_store_is_told_of_the_server_that_answers_where_servers_listen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    with canned(200, ALIVE) as server:
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
    with canned(status, content) as stranger:
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
    with canned(200, NO_ROWS) as server:
        done = inside("sql", "--server", server.url, *options, "--format", "json", "select 1", at=tmp_path, **variables)
    assert (done.code, done.out) == (0, NO_ROWS), done.err
    assert [asked["authorization"] for asked in server.asked] == ["Bearer sesame"]


def test_server_is_asked_without_a_token_where_none_is_set(tmp_path: Path) -> None:
    with canned(200, NO_ROWS) as server:
        done = inside("sql", "--server", server.url, "--format", "json", "select 1", at=tmp_path)
    assert done.code == 0
    assert "authorization" not in server.asked[0]


def test_setting_that_is_not_needed_keeps_nobody_from_asking_a_server(tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("assembly: {grace: never}\n")
    with canned(200, NO_ROWS) as server:
        done = inside("sql", "--server", server.url, "--format", "json", "select 1", at=tmp_path)
    assert done.code == 0, done.err


@pytest.mark.parametrize("content", ["token: [a]\n", "token: 12\n"], ids=["list", "number"])
def test_token_that_is_no_text_is_told_with_its_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "tracegrade.yaml").write_text(f"# mine\n{content}")
    done = inside("sql", "--server", "http://127.0.0.1:9", "select 1", at=tmp_path)
    assert done.code == 2
    assert "tracegrade.yaml, line 2: token: write text" in done.err


@pytest.mark.parametrize("url", ["127.0.0.1:8400", "localhost:8400", "ftp://localhost", "http://", "http://a:b"])
def test_what_is_no_address_of_a_server_is_told_with_what_to_write(tmp_path: Path, url: str) -> None:
    done = inside("sql", "--server", url, "select 1", at=tmp_path)
    assert done.code == 2
    assert "write http://HOST:PORT" in done.err


def test_server_that_does_not_answer_in_time_is_not_reached() -> None:
    with silent() as url, pytest.raises(Unreachable, match=r"no answer within 0\.05 s"):
        HttpClient(url, timeout_s=0.05).get("/healthz")


def test_path_of_the_address_goes_before_the_paths_of_the_api() -> None:
    with canned(200, b"") as server:
        HttpClient(f"{server.url}/graded/", timeout_s=5).post("/api/v1/sql", {})
    assert server.asked[0]["path"] == "/graded/api/v1/sql"
