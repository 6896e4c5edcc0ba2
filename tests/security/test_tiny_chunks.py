"""Bodies in chunks of one byte, each of which takes as long to parse as a large one."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from tests.support import agent_spans
from tests.support.server import Server, new_trace, running

CHUNKS = 100_000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("drip") / "s.duckdb") as server:
        yield server


def drip(url: str, path: str, ended: threading.Event) -> None:
    """Sends a body in tiny chunks, and waits for the answer."""
    address = urlsplit(url)
    head = f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
    with socket.create_connection((address.hostname, address.port), timeout=100) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        connection.sendall(b"1\r\n \r\n" * CHUNKS + b"0\r\n\r\n")
        connection.recv(1000)
    ended.set()


def test_others_are_acknowledged_while_tiny_chunks_arrive(server: Server) -> None:
    ended = threading.Event()
    thread = threading.Thread(target=drip, args=(server.otlp, "/v1/traces", ended))
    thread.start()
    acknowledged = 0
    while not ended.is_set():
        assert server.post(agent_spans.export_request(agent_spans.trip(new_trace()))).status_code == 200
        acknowledged += 1
    thread.join()
    assert acknowledged > 5


def test_probes_are_answered_while_tiny_chunks_arrive(server: Server) -> None:
    ended = threading.Event()
    thread = threading.Thread(target=drip, args=(server.web, "/api/v1/sql", ended))
    thread.start()
    answered = 0
    while not ended.is_set():
        assert httpx.get(f"{server.web}/readyz", trust_env=False, timeout=60).status_code == 200
        answered += 1
    thread.join()
    assert answered > 5
