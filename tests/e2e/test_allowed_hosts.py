"""By which names a server is reached over real sockets, and how one more is allowed."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml
from tests.support.command import inside
from tests.support.polling import until
from tests.support.server import Server, running

NAME = "grade.example.com"


@pytest.fixture(scope="module")
def open_to_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that listens on all addresses, as in a container."""
    with running(tmp_path_factory.mktemp("open") / "s.duckdb", web="0.0.0.0:0") as server:
        yield server


def send_query(server: Server, host: str) -> httpx.Response:
    """The answer to a request that calls the server `host` and its port."""
    port = server.web.rpartition(":")[2]
    return httpx.post(
        f"http://127.0.0.1:{port}/api/v1/sql",
        json={"sql": "select 1 as x"},
        headers={"host": f"{host}:{port}"},
        trust_env=False,
    )


def write_settings(folder: Path, line: str) -> None:
    (folder / "tracegrade.yaml").write_text(line, encoding="utf-8")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "192.0.2.7", "[2001:db8::7]"])
def test_server_on_all_addresses_answers_to_localhost_and_to_addresses(open_to_all: Server, host: str) -> None:
    assert send_query(open_to_all, host).status_code == 200


@pytest.mark.parametrize("path", ["sql", "annotations", "backfill", "rebuild", "reload", "evaluators/tool_error/pause"])
def test_page_of_another_site_that_resolves_to_this_address_is_refused(open_to_all: Server, path: str) -> None:
    answer = httpx.post(
        f"{open_to_all.web}/api/v1/{path}", json={}, headers={"host": "evil.example.com"}, trust_env=False
    )
    assert (answer.status_code, answer.json()["kind"]) == (403, "forbidden")


def test_refusal_shows_the_line_that_allows_the_name(open_to_all: Server, tmp_path: Path) -> None:
    refusal = send_query(open_to_all, NAME)
    message = refusal.json()["detail"]
    (line,) = re.findall(r"`(.*?)`", message)
    assert yaml.safe_load(line) == {"listen": {"allowed_hosts": [NAME]}}
    write_settings(tmp_path, line)
    with running(tmp_path / "s.duckdb", web="0.0.0.0:0") as server:
        assert send_query(server, NAME).status_code == 200
        assert send_query(server, f"other.{NAME}").status_code == 403
    assert message.endswith(f"TRACEGRADE_LISTEN__ALLOWED_HOSTS={NAME}")


def test_refusal_repeats_nothing_that_is_not_a_name(open_to_all: Server) -> None:
    message = send_query(open_to_all, 'a"]}`').json()["detail"]
    assert "allowed_hosts" not in message


def test_reload_allows_and_forbids_names(tmp_path: Path) -> None:
    write_settings(tmp_path, "evaluators: []")
    with running(tmp_path / "s.duckdb", variables={}) as server:
        assert send_query(server, NAME).status_code == 403
        write_settings(tmp_path, f"listen: {{allowed_hosts: [{NAME}]}}\nevaluators: []")
        told = inside("reload", "--store", server.store, at=tmp_path)
        assert (told.code, told.text) == (0, "the new configuration is active\n")
        assert send_query(server, NAME).status_code == 200
        write_settings(tmp_path, "evaluators: []")
        server.process.send_signal(signal.SIGHUP)
        until(lambda: send_query(server, NAME).status_code, lambda status: status == 403)
        assert send_query(server, "localhost").status_code == 200


def test_entry_that_is_no_name_is_told_with_its_line(tmp_path: Path) -> None:
    write_settings(tmp_path, "listen:\n  allowed_hosts:\n    - grade.example.com\n    - https://grade.example.com\n")
    done = inside("serve", at=tmp_path)
    assert done.code == 2
    for word in ("tracegrade.yaml, line 4", "listen.allowed_hosts.1", "'https://grade.example.com'", "*.example.com"):
        assert word in done.err
