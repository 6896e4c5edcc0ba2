"""Guesses at the token, copies of cookies, and what the log says of those who change something."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from tests.support.nightly import rest_at_night
from tests.support.page_client import PageClient
from tests.support.polling import until
from tests.support.server import Server, running

from tracegrade.collector.receiver.http_connection import PEER
from tracegrade.collector.web.guard import Attempt, Guard, WrongTokens, find_client
from tracegrade.collector.web.logins import LOGIN_S, Logins
from tracegrade.queries.http.access import AccessControl

TOKEN = "open-sesame"
RIGHT, WRONG = ({"authorization": f"Bearer {token}"} for token in (TOKEN, "guess"))
EVALUATOR = {"name": "tool_error", "version": 1, "config_hash": "1"}
PATHS = ("/api/v1/runs", "/runs", "/metrics")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a token, behind a proxy that it trusts."""
    variables = {"TRACEGRADE_TOKEN": TOKEN, "TRACEGRADE_LISTEN__TRUSTED_PROXIES": "127.0.0.1"}
    with running(tmp_path_factory.mktemp("guarded") / "s.duckdb", variables=variables) as server:
        yield server


def get(server: Server, path: str, headers: dict[str, str], address: str = "192.0.2.1") -> httpx.Response:
    return httpx.get(server.web + path, headers={**headers, "x-forwarded-for": address}, trust_env=False, timeout=60)


def test_delay_doubles_for_each_address_and_is_forgotten() -> None:
    now = [0.0]
    tokens = WrongTokens(now=lambda: now[0])

    def guess() -> float | None:
        now[0] += 5
        return tokens.count("192.0.2.1")

    assert [guess() for _ in range(7)] == [0.25, 0.5, 1, 2, 4, 4, 4]
    assert tokens.count("192.0.2.2") == 0.25
    now[0] += 3600
    assert tokens.count("192.0.2.1") == 0.25


def test_address_cannot_be_changed_within_a_network() -> None:
    tokens = WrongTokens()
    assert [tokens.count(address) for address in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")] == [0.25, 0.5, 0.25]
    assert [tokens.count(address) for address in ("192.0.2.1", "::ffff:192.0.2.1")] == [0.25, 0.5]


def test_addresses_of_guesses_are_bounded_in_memory() -> None:
    tokens = WrongTokens()
    for number in range(20_000):
        tokens.count(f"10.0.{number // 256}.{number % 256}")
    assert len(tokens._networks) == 10_000


@pytest.mark.parametrize("addresses", [["192.0.2.1"] * 9, [f"2001:db8::{n}" for n in range(1, 10)]], ids=["v4", "v6"])
def test_network_has_four_guesses_compared_at_once(addresses: list[str]) -> None:
    now = [0.0]
    tokens = WrongTokens(now=lambda: now[0])
    attempts = [guess_with(tokens, address) for address in addresses]
    assert [attempt.delay_s for attempt in attempts] == [0.25, 0.5, 1, 2, *[None] * 5]
    assert not tokens.may_compare(addresses[0])
    assert tokens.may_compare("192.0.2.99")
    now[0] += 0.3
    assert tokens.may_compare(addresses[0])


def test_network_is_slowed_also_when_no_place_is_left() -> None:
    tokens = WrongTokens(now=lambda: 0.0)
    for number in range(32):
        guess_with(tokens, f"192.0.2.{number}")
    assert [tokens.may_compare("198.51.100.1") and tokens.count("198.51.100.1") is None for _ in range(9)] == [
        *[True] * 4,
        *[False] * 5,
    ]


def test_right_token_is_compared_beside_guesses_of_its_network() -> None:
    now = [0.0]
    tokens = WrongTokens(now=lambda: now[0])
    tokens.note_right("192.0.2.1")
    compared = [tokens.may_compare("192.0.2.1") and tokens.count("192.0.2.1") is not None for _ in range(9)]
    assert compared == [*[True] * 4, *[False] * 5]
    assert tokens.may_compare("192.0.2.1")
    for _ in range(1_000):
        tokens.count("192.0.2.1")
    assert not tokens.may_compare("192.0.2.1")
    now[0] += 5
    assert tokens.may_compare("192.0.2.1")


def test_guesses_of_many_networks_hold_up_no_right_token() -> None:
    tokens = WrongTokens(now=lambda: 0.0)
    tokens.note_right("192.0.2.1")
    for number in range(20_000):
        tokens.count(f"10.0.{number // 256}.{number % 256}")
    for _ in range(4):
        tokens.count("192.0.2.1")
    assert tokens.may_compare("192.0.2.1")


def test_guess_that_gets_429_is_not_compared(server: Server) -> None:
    address = "203.0.113.77"
    with ThreadPoolExecutor(30) as threads:
        list(threads.map(lambda _: get(server, "/api/v1/runs", WRONG, address), range(8)))  # now each waits for 4 s
        guesses = [threads.submit(get, server, "/api/v1/runs", WRONG, address) for _ in range(30)]
        until(lambda: any(guess.done() and guess.result().status_code == 429 for guess in guesses))
        right = get(server, "/api/v1/runs", RIGHT, address)
        answers = [guess.result() for guess in guesses]
    assert right.status_code == 429
    assert sum(answer.status_code == 401 for answer in answers) <= 10
    assert len({answer.text for answer in [*answers, right] if answer.status_code == 429}) == 1
    until(lambda: 'event="too many wrong tokens were sent"' in server.log())
    assert server.log().count('event="too many wrong tokens were sent"') <= 3


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:DB8:0::7", "2001:db8::7"),
        ("unknown", "127.0.0.1"),
        ("[2001:db8::7", "127.0.0.1"),
        ("192.0.2.7.example", "127.0.0.1"),
        ("", "127.0.0.1"),
    ],
)
def test_client_is_the_forwarded_address_or_else_the_proxy(forwarded: str, client: str) -> None:
    assert find_client({"client": (forwarded, 0), "state": {PEER: "127.0.0.1"}}) == client


@pytest.mark.parametrize("forwarded", ["nonsense", "203.0.113.31:8080", "[2001:db8:5::31]:443"])
def test_log_names_an_address(server: Server, forwarded: str) -> None:
    get(server, "/metrics", WRONG, forwarded)
    address = {"n": "127.0.0.1", "2": "203.0.113.31", "[": "2001:db8:5::31"}[forwarded[0]]
    until(lambda: f"address={address} path=/metrics" in server.log())


def guess_with(tokens: WrongTokens, address: str) -> Attempt:
    """A wrong token of this address, whose answer waits."""
    attempt = Attempt(tokens, address)
    if attempt.may_compare():
        attempt.end(is_right=False)
    return attempt


@pytest.mark.parametrize("path", rest_at_night(1, PATHS))
def test_flood_of_guesses_holds_up_no_right_token(server: Server, path: str) -> None:
    with ThreadPoolExecutor(60) as threads:
        guesses = [threads.submit(get, server, path, WRONG, f"198.51.100.{n}") for n in range(120)]
        right = [get(server, path, RIGHT, "198.51.100.1").status_code for _ in range(5)]
        answers = [guess.result() for guess in guesses]
    assert right == [200] * 5
    assert {answer.status_code for answer in answers} <= {401, 429}
    assert {answer.headers["retry-after"] for answer in answers if answer.status_code == 429} <= {"4"}


def test_guess_at_the_login_waits_like_one_at_the_api(server: Server) -> None:
    with PageClient(server.web) as client:
        client.headers["x-forwarded-for"] = "203.0.113.5"
        assert client.log_in("guess").status_code == 401
        assert client.log_in(TOKEN).status_code == 303
    assert 'event="a wrong token was sent" address=203.0.113.5 path=/login' in server.log()


def test_guesses_are_logged_and_counted(server: Server) -> None:
    get(server, "/api/v1/runs", WRONG, "203.0.113.9")
    assert 'event="a wrong token was sent" address=203.0.113.9 path=/api/v1/runs' in server.log()
    assert 'tracegrade_refused_answers_total{reason="unauthorized"}' in get(server, "/metrics", RIGHT).text


def test_answers_held_up_are_bounded_together() -> None:
    wrong_tokens = WrongTokens()
    control = AccessControl(TOKEN)
    statuses: list[int] = []

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        assert not control.accepts(Request(scope), "guess")
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def guess(number: int) -> None:
        async def send(message) -> None:  # type: ignore[no-untyped-def]
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "client": (f"10.0.0.{number}", 1)}
        await Guard(app, wrong_tokens)(scope, None, send)  # type: ignore[arg-type]

    async def guess_at_once() -> None:
        await asyncio.gather(*map(guess, range(100)))

    asyncio.run(guess_at_once())
    assert (statuses.count(401), statuses.count(429)) == (32, 68)
    assert wrong_tokens.waiting == 0


def test_who_names_no_proxy_is_not_told_other_addresses(tmp_path: Path) -> None:
    with running(tmp_path / "s.duckdb", variables={"TRACEGRADE_TOKEN": TOKEN}) as server:
        get(server, "/api/v1/runs", WRONG, "203.0.113.9")
        assert "address=127.0.0.1" in server.log()
        assert "203.0.113.9" not in server.log()


def test_metrics_ask_for_the_token(server: Server) -> None:
    assert [get(server, "/metrics", headers).status_code for headers in ({}, RIGHT)] == [401, 200]


def test_copy_of_a_cookie_is_worth_nothing_after_the_logout(server: Server) -> None:
    with PageClient(server.web) as client:
        client.log_in(TOKEN)
        copy = dict(client.cookies)
        assert httpx.get(f"{server.web}/runs", cookies=copy, trust_env=False).status_code == 200
        client.submit("/runs", "/logout")
    assert httpx.get(f"{server.web}/runs", cookies=copy, trust_env=False).status_code == 303


def test_logins_are_hashes_in_a_private_file(server: Server) -> None:
    with PageClient(server.web) as client:
        client.log_in(TOKEN)
        (cookie,) = client.cookies.values()
    file = server.store.with_name(f"{server.store.name}.logins")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert cookie.partition(".")[0] not in file.read_text()
    names = httpx.post(
        f"{server.web}/api/v1/sql",
        json={"sql": "select table_name from information_schema.tables where table_name like '%login%'"},
        headers=RIGHT,
        trust_env=False,
    ).json()["rows"]
    assert names == []


def test_logins_end_after_their_time_and_are_bounded(tmp_path: Path) -> None:
    now = [0.0]
    logins = Logins(tmp_path / "logins", now=lambda: now[0])
    for number in range(1_001):
        logins.begin(f"browser {number}")
    assert [logins.lasts(f"browser {number}") for number in (0, 1, 1_000)] == [False, True, True]
    now[0] += LOGIN_S
    assert not logins.lasts("browser 1000")


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"a": "b"}', b"null"])
def test_broken_file_of_logins_ends_them(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "logins"
    file.write_bytes(content)
    file.chmod(0o600)
    assert not Logins(file).lasts("browser")


def test_log_says_who_changes_what_and_from_where(server: Server) -> None:
    annotation = {"target": {"trace_id": "0" * 32}, "name": "polite", "value": 1, "author": "mallory"}
    headers = {**RIGHT, "x-forwarded-for": "203.0.113.7"}
    httpx.post(f"{server.web}/api/v1/annotations", json=annotation, headers=headers, trust_env=False)
    with PageClient(server.web) as client:
        client.log_in(TOKEN)
        client.submit("/runs", "/runs", action="good", author="eve\x1b[31m")
    until(lambda: "authors=eve" in server.log())  # a change is logged once it is answered
    lines = [line for line in server.log().splitlines() if "event=change" in line]
    assert any("caller=token address=203.0.113.7 authors=mallory" in line for line in lines)
    (form,) = [line for line in lines if "authors=eve" in line]
    assert "path=/runs" in form
    assert 'caller="login ' in form
    assert "\x1b" not in form
    assert TOKEN not in server.log()


def test_log_names_the_author_that_is_stored(server: Server) -> None:
    with PageClient(server.web) as client:
        client.log_in(TOKEN)
        client.submit("/runs", "/runs", action="good", author="trudy")
        client.cookies.set("tracegrade_author", "mallory")
        client.submit("/runs", "/runs", action="good", author="")
        assert set(client.cookies) - {"tracegrade_author"} == {f"tracegrade_session_{client.base_url.port}"}
    first, second = until(lambda: _find_changes(server, "authors=trudy"), lambda lines: len(lines) == 2)
    assert "path=/runs" in second
    assert first != second
    assert "mallory" not in "".join(_find_changes(server, "path=/runs"))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/datasets", {"dataset": "trips", "items": [{"id": "1", "input": "Hi"}]}),
        ("/api/v1/experiments", {"name": "x", "items": 1, "evaluators": [EVALUATOR], "task": "t", "plan_hash": "1"}),
    ],
    ids=["dataset", "experiment"],
)
def test_log_names_authors_of_every_change(server: Server, path: str, body: dict[str, object]) -> None:
    answer = httpx.post(server.web + path, json={**body, "author": "walter"}, headers=RIGHT, trust_env=False)
    assert answer.is_success, answer.text
    (line,) = until(lambda: _find_changes(server, f"path={path} "))
    assert "authors=walter" in line


def _find_changes(server: Server, text: str) -> list[str]:
    return [line for line in server.log().splitlines() if "event=change" in line and text in line]


def test_log_says_nothing_of_queries(server: Server) -> None:
    httpx.post(f"{server.web}/api/v1/sql", json={"sql": "select 41"}, headers=RIGHT, trust_env=False)
    assert "path=/api/v1/sql" not in server.log()
