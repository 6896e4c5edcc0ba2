"""How a sender says where its request ends, and that it can read why the request was refused."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection

import grpc
import pytest
from google.rpc.status_pb2 import Status
from starlette.types import Message, Receive, Scope, Send
from tests.support.server import Server, running

from tracegrade.collector.receiver.framing import Framed
from tracegrade.queries.http.problem import GUARDING_HEADERS

LIMIT_BYTES = 16 * 2**20
PROTOBUF = "application/x-protobuf"
TIME_LIMIT_S = 8.0
"""Less than the server waits for what a sender announced."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "store.duckdb") as one:
        yield one


@contextmanager
def talking(url: str) -> Iterator[socket.socket]:
    """A connection to the server."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=TIME_LIMIT_S) as connection:
        yield connection


def head(**headers: str) -> bytes:
    """The beginning of an export, with these headers (_ for -) in this order."""
    lines = ["POST /v1/traces HTTP/1.1", "host: localhost", f"content-type: {PROTOBUF}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def all_of(connection: socket.socket) -> bytes:
    """What the server says until it closes."""
    received = bytearray()
    while piece := connection.recv(65_536):
        received += piece
    return bytes(received)


@pytest.mark.parametrize("listener", ["otlp", "web"])
@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"content_length": "4", "transfer_encoding": "chunked"}, id="length first"),
        pytest.param({"transfer_encoding": "chunked", "content_length": "4"}, id="chunked first"),
    ],
)
def test_two_ends_of_a_request_are_refused_and_nothing_behind_them_is_read(
    server: Server, listener: str, headers: Mapping[str, str]
) -> None:
    hidden = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with talking(getattr(server, listener)) as connection:
        connection.sendall(head(**headers) + b"0\r\n\r\n" + hidden)
        answer = all_of(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"send one of them" in answer
    assert_guarded(answer)


@pytest.mark.parametrize("listener", ["otlp", "web"])
@pytest.mark.parametrize("request_", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nhost: a\r\na b\r\n\r\n"])
def test_answer_to_no_http_has_the_headers_of_others(server: Server, listener: str, request_: bytes) -> None:
    with talking(getattr(server, listener)) as connection:
        connection.sendall(request_)
        answer = all_of(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert_guarded(answer)
    assert answer.endswith(b'"kind":"malformed"}')


def assert_guarded(answer: bytes) -> None:
    head = answer.partition(b"\r\n\r\n")[0].lower()
    for name, value in GUARDING_HEADERS.items():
        assert f"\r\n{name}: {value}".encode() in head


def test_rest_of_a_refused_body_is_read_in_few_pieces() -> None:
    pieces = 0

    async def receive() -> Message:
        nonlocal pieces
        pieces += 1
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 413, "headers": []})
        await send({"type": "http.response.body"})

    async def send(_: Message) -> None:
        """Nobody reads it."""

    scope = {"type": "http", "headers": [(b"transfer-encoding", b"chunked")]}
    asyncio.run(Framed(app)(scope, receive, send))
    assert pieces <= 65_536


@pytest.mark.parametrize("connection", ["close", "keep-alive"])
@pytest.mark.parametrize("length", ["content-length", "chunked"])
def test_sender_that_sends_all_before_it_reads_learns_that_it_was_too_much(
    server: Server, connection: str, length: str
) -> None:
    body = bytes(3 * LIMIT_BYTES)
    client = HTTPConnection(server.otlp.removeprefix("http://"), timeout=TIME_LIMIT_S)
    try:
        content = iter([body]) if length == "chunked" else body
        headers = {"content-type": PROTOBUF, "connection": connection}
        client.request("POST", "/v1/traces", content, headers, encode_chunked=length == "chunked")
        answer = client.getresponse()
        assert answer.status == 413
        assert "ingest.max_request_bytes" in Status.FromString(answer.read()).message
    finally:
        client.close()


@pytest.mark.parametrize("listener", ["otlp", "web"])
def test_sender_that_is_refused_for_another_reason_can_read_it_too(server: Server, listener: str) -> None:
    client = HTTPConnection(getattr(server, listener).removeprefix("http://"), timeout=TIME_LIMIT_S)
    try:
        client.request("POST", "/nothing/here", bytes(3 * LIMIT_BYTES), {"connection": "close"})
        assert client.getresponse().status == 404
    finally:
        client.close()


def test_sender_that_asks_first_is_refused_before_it_sends_and_not_waited_for(server: Server) -> None:
    with talking(server.otlp) as connection:
        connection.sendall(
            head(content_length=str(LIMIT_BYTES + 1), expect="100-continue", connection="close"),
        )
        answer = all_of(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_sender_that_only_announces_too_much_gets_its_answer_at_once(server: Server) -> None:
    with talking(server.otlp) as connection:
        connection.sendall(head(content_length=str(LIMIT_BYTES + 1)))
        assert connection.recv(13) == b"HTTP/1.1 413 "


def test_too_much_over_grpc_is_refused_for_good_with_the_remedy(server: Server) -> None:
    refusal = server.call(bytes(LIMIT_BYTES + 1))
    assert refusal is not None
    assert refusal.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "ingest.max_request_bytes" in refusal.details()
