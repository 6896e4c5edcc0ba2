"""A server that is told to stop waits for no client that reads or sends nothing."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import orjson
import pytest
from tests.support.nightly import rest_at_night
from tests.support.server import Server, running

TOKEN = "open-sesame"
STOP_S = 12.0
"""Some seconds for those who read slowly but surely, and two on a busy machine."""

RIGHT = f"authorization: Bearer {TOKEN}\r\n"
WRONG = "authorization: Bearer guess\r\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    variables = {"TRACEGRADE_TOKEN": TOKEN, "TRACEGRADE_LISTEN__TRUSTED_PROXIES": "127.0.0.1"}
    with running(tmp_path / "s.duckdb", variables=variables) as server:
        yield server


def connect(url: str, request: str) -> socket.socket:
    """A connection on which something was said, of a client that reads next to nothing."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.settimeout(30)
    connection.connect((host, int(port)))
    with suppress(OSError):
        connection.sendall(request.encode())
    return connection


def write_post(path: str, body: object, headers: str = RIGHT) -> str:
    content = orjson.dumps(body).decode()
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}"
    return f"{head}content-length: {len(content)}\r\n\r\n{content}"


ANSWERED = {
    "export": write_post(
        "/api/v1/sql", {"sql": "select repeat('x', 1000) from range(90000)", "max_rows": None, "format": "csv"}
    ),
    "snapshot": write_post("/api/v1/snapshot", {}),
    "stream": f"GET /live?after=0 HTTP/1.1\r\nhost: localhost\r\n{RIGHT}\r\n",
}
SILENT = {
    "form": "POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n"
    "content-length: 60000\r\n\r\na=1",
    "body": write_post("/api/v1/sql", {"sql": "select 1"})[:-3],
    "query": write_post("/api/v1/sql", {"sql": "select count(*) from range(1000000000) a, range(1000000000) b"}),
}


@pytest.mark.parametrize(
    "kinds",
    rest_at_night(
        1, map(pytest.param, [("export", "snapshot"), ("form", "body"), ("stream",), ("guess",), ("query",)])
    ),
)
def test_stop_waits_for_no_stalled_client(server: Server, kinds: tuple[str, ...]) -> None:
    stop_under_attack(server, kinds)


def test_stop_under_all_attacks_at_once(server: Server) -> None:
    stop_under_attack(server, ("export", "snapshot", "form", "body", "stream", "guess", "query"))


def stop_under_attack(server: Server, kinds: tuple[str, ...]) -> None:
    with ExitStack() as stack:
        for kind in kinds:
            for number in range(8):
                guess = f"GET /api/v1/runs HTTP/1.1\r\nhost: a\r\n{WRONG}x-forwarded-for: 192.0.2.{number % 4}\r\n\r\n"
                request = ANSWERED.get(kind) or SILENT.get(kind) or guess
                client = stack.enter_context(closing(connect(server.web, request)))
                if kind in ANSWERED and number < 2:
                    assert client.recv(100).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        assert server.stop() == 0
        took_s = time.monotonic() - began
    assert took_s < STOP_S, kinds
    assert "Traceback" not in server.log()
    assert "CancelledError" not in server.log()
