"""Pages of other sites and callers without a token: what they reach of a server, and who is told that they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.support import agent_spans
from tests.support.command import inside
from tests.support.otlp import trace_id
from tests.support.server import Server, new_trace, running

EVERYWHERE = "0.0.0.0:0"
EVIL = "evil.example"
PROTOBUF, JSON = "application/x-protobuf", "application/json"


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that listens as one does that nobody told otherwise."""
    with running(tmp_path_factory.mktemp("local") / "s.duckdb") as server:
        yield server


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that listens on all addresses and has no token, as a container is started most easily."""
    with running(tmp_path_factory.mktemp("exposed") / "s.duckdb", http=EVERYWHERE, web=EVERYWHERE) as server:
        yield server


def get(url: str, host: str) -> httpx.Response:
    return httpx.get(url, headers={"host": host}, trust_env=False)


def planted(server: Server, **headers: str) -> tuple[int, int]:
    """The status of an export with these headers, and how many of its spans are in the store."""
    trace = new_trace()
    status = server.post(agent_spans.export_request(agent_spans.trip(trace)), **headers).status_code
    return status, server.one(f"select count(*) from spans where trace_id = '{trace_id(trace)}'")


@pytest.mark.parametrize("path", ["/api/v1", "/metrics"])
def test_page_that_calls_the_server_by_a_name_of_its_own_reads_nothing(
    local: Server, exposed: Server, path: str
) -> None:
    for server in (local, exposed):
        answer = get(f"{server.web}{path}", EVIL)
        assert (answer.status_code, answer.json()["kind"]) == (403, "forbidden")
        assert [get(f"{server.web}{path}", host).status_code for host in ("localhost:8400", "192.0.2.7")] == [200, 200]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_are_answered_by_whatever_name_they_call(local: Server, path: str) -> None:
    assert [get(f"{url}{path}", EVIL).status_code for url in (local.web, local.otlp)] == [200, 200]


@pytest.mark.parametrize("origin", [f"https://{EVIL}", "http://203.0.113.9", "null"])
def test_page_of_another_site_plants_no_spans(local: Server, exposed: Server, origin: str) -> None:
    assert planted(local, origin=origin) == (403, 0)
    assert planted(exposed, origin=origin) == (403, 0)


def test_page_that_calls_the_loopback_by_a_name_of_its_own_plants_no_spans(local: Server) -> None:
    assert planted(local, host=f"{EVIL}:4318") == (403, 0)


def test_program_in_a_network_of_containers_sends_by_any_name(exposed: Server) -> None:
    status, spans = planted(exposed, host="collector.observability:4318")
    assert (status, spans > 0) == (200, True)


@pytest.mark.parametrize("media_type", [PROTOBUF, JSON])
def test_refused_sender_is_told_the_setting_and_not_to_come_again(local: Server, media_type: str) -> None:
    answer = local.post(b"{}", content_type=media_type, host="grade.example.com")
    assert (answer.status_code, answer.headers["content-type"]) == (403, media_type)
    assert b'allowed_hosts: ["grade.example.com"]' in answer.content.replace(b'\\"', b'"')
    assert "retry-after" not in answer.headers


@pytest.mark.parametrize("token", ["", "  "])
@pytest.mark.parametrize("command", [("serve",), ("sql", "--server", "http://127.0.0.1:9", "select 1"), ("check",)])
@pytest.mark.parametrize("where", ["environment", "file"])
def test_empty_token_is_refused_and_does_not_count_as_none(
    tmp_path: Path, command: tuple[str, ...], token: str, where: str
) -> None:
    (tmp_path / "tracegrade.yaml").write_text(f'token: "{token}"\n' if where == "file" else "")
    done = inside(*command, at=tmp_path, **({"TRACEGRADE_TOKEN": token} if where == "environment" else {}))
    assert done.code == 2
    assert "the token is empty" in done.err
    assert ("tracegrade.yaml, line 1" in done.err) == (where == "file")


def test_token_that_no_request_can_carry_is_refused_without_being_shown(tmp_path: Path) -> None:
    done = inside("check", at=tmp_path, TRACEGRADE_TOKEN="sesame\n")
    assert (done.code, "sesame" in done.err) == (2, False)
    assert "without spaces or line breaks" in done.err


def test_server_that_answers_other_machines_without_a_token_says_so(exposed: Server) -> None:
    words = "is open to everyone who can reach it: set TRACEGRADE_TOKEN"
    assert words in exposed.store.with_name(f"{exposed.store.name}.out").read_text()
    assert 'level=warning event="the API is open to others"' in exposed.log()
    assert words in inside("doctor", "--store", exposed.store, at=exposed.store.parent).text


def test_doctor_and_check_say_so_before_the_server_starts(tmp_path: Path) -> None:
    for command in ("doctor", "check"):
        text = inside(command, at=tmp_path, TRACEGRADE_LISTEN__WEB="0.0.0.0:8400").text
        assert "the API at 0.0.0.0:8400 is open to everyone who can reach it" in text


def test_nobody_is_warned_of_a_server_on_this_machine_alone_or_with_a_token(local: Server, tmp_path: Path) -> None:
    assert "open to others" not in local.log()
    assert "open to everyone" not in inside("doctor", "--store", local.store, at=local.store.parent).text
    with running(tmp_path / "s.duckdb", web=EVERYWHERE, variables={"TRACEGRADE_TOKEN": "sesame"}) as server:
        assert "open to others" not in server.log()
