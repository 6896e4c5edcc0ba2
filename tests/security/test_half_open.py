"""Connections that take a place and say nothing, or not all: a server hangs up on them, and receives from others."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import orjson
import pytest
from pydantic import RootModel
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tests.support import agent_spans
from tests.support.nightly import rest_at_night
from tests.support.otlp import trace_id
from tests.support.server import HURRIED, Server, new_trace, running

from tracegrade.collector.receiver import http_connection
from tracegrade.collector.receiver.grpc_at_http import Endpoints
from tracegrade.collector.web.listeners import Listener
from tracegrade.queries.http import body
from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.endpoint import Call, endpoint

DESCRIPTORS = 512
MANY = 100
SAYING = {
    "nothing": b"",
    "the beginning of a header": b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\nx-slow: ",
    "no body": b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-protobuf\r\n"
    b"content-length: 100\r\n\r\n",
    "the beginning of HTTP/2": b"PRI * HTTP/2.0\r\n",
    "all of it": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that may have few descriptors."""
    folder = tmp_path_factory.mktemp("few")
    with running(folder / "s.duckdb", variables=HURRIED, descriptors=DESCRIPTORS) as server:
        yield server


def address(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").rpartition(":")
    return host, int(port)


@contextlib.contextmanager
def crowd(url: str, say: bytes, count: int = MANY) -> Iterator[list[socket.socket]]:
    """Many connections, of which each says the same and waits."""
    with contextlib.ExitStack() as stack:
        held = []
        for _ in range(count):
            one = stack.enter_context(socket.create_connection(address(url), timeout=30))
            with contextlib.suppress(OSError):  # it was hung up on
                one.sendall(say)
            held.append(one)
        yield held


@pytest.mark.parametrize("said", rest_at_night(1, SAYING))
def test_crowd_that_says_too_little_keeps_nobody_out(server: Server, said: str) -> None:
    say, trace = SAYING[said], new_trace()
    with crowd(server.otlp, say), crowd(server.web, say):
        server.export(agent_spans.trip(trace))
        assert server.one(f"select count(*) from spans where trace_id = '{trace_id(trace)}'") > 0
        assert server.scores(trace_id(trace))
        assert server.call(agent_spans.export_request(agent_spans.trip(new_trace()))) is None
    assert "Too many open files" not in server.log()


@pytest.mark.parametrize("said", rest_at_night(1, ["nothing", "all of it"]))
def test_crowd_at_the_port_of_grpc_keeps_it_for_seconds_and_http_not_at_all(server: Server, said: str) -> None:
    with crowd(server.grpc, SAYING[said]):
        server.export(agent_spans.trip(new_trace()))
        assert server.call(agent_spans.export_request(agent_spans.trip(new_trace())), wait_for_ready=True) is None
    assert "Too many open files" not in server.log()


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Anything(RootModel[Any]):
    """Any JSON."""


@contextlib.asynccontextmanager
async def listening(connections: int = 10) -> AsyncIterator[tuple[str, int]]:
    """The address of a listener with an API that echoes what it is sent, and an answer that is long."""

    @endpoint("POST", "/echo", "echo", body=Anything)
    async def echo(_services: None, call: Call) -> Response:
        return Response(orjson.dumps(call.body(Anything).root))

    async def long(_: Request) -> Response:
        return Response(bytes(2**25))

    async def short(_: Request) -> Response:
        return PlainTextResponse("well")

    app = make_app(
        [
            echo.make_route(None, AccessControl(None)),
            Route("/long", long, methods=["GET"]),
            Route("/short", short, methods=["GET"]),
        ]
    )
    endpoints = Endpoints("127.0.0.1:4317", "127.0.0.1:4318")
    listener = await Listener.start("127.0.0.1:0", app, option="--web", endpoints=endpoints, connections=connections)
    try:
        yield address(listener.address)
    finally:
        await listener.stop()


@pytest.fixture(autouse=True)
def hurried(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short deadlines for listeners of this process."""
    monkeypatch.setattr(http_connection, "_REQUEST_S", 0.5)
    monkeypatch.setattr(http_connection, "_STALLED_S", 0.5)
    monkeypatch.setattr(http_connection, "_LINGER_S", 0.2)
    monkeypatch.setattr(body, "_TIME_LIMIT_S", 0.5)


def talking(talk: Talk, **options: int) -> None:
    """Talks to a listener, which has half a minute to end it."""

    async def go() -> None:
        async with listening(**options) as (host, port):
            reader, writer = await asyncio.open_connection(host, port, limit=4096)
            try:
                await asyncio.wait_for(talk(reader, writer), 30)
            finally:
                writer.transport.abort()

    asyncio.run(go())


async def drip(writer: asyncio.StreamWriter, piece: bytes) -> None:
    """Sends a piece now and then, until somebody hangs up."""
    while not writer.transport.is_closing():
        writer.write(piece)
        await asyncio.sleep(0.05)


@pytest.mark.parametrize("first", [b"", b"GET /short HTTP/1.1\r\nhost: localhost\r\n\r\n"], ids=["first", "second"])
@pytest.mark.parametrize("said", [b"", b"GET /short HTTP/1.1\r\nhost: localhost\r\nx: ", b"PRI"], ids=repr)
def test_who_does_not_complete_the_headers_of_a_request_is_hung_up_on(first: bytes, said: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        if first:
            assert (await reader.readuntil(b"well")).startswith(b"HTTP/1.1 200")
        writer.write(said)
        assert await reader.read() == b""

    talking(talk)


def test_header_that_comes_letter_by_letter_is_not_waited_for() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET /short HTTP/1.1\r\nx: ")
        dripping = asyncio.ensure_future(drip(writer, b"a"))
        with contextlib.suppress(ConnectionError):  # a letter came too late
            assert await reader.read() == b""
        await dripping

    talking(talk)


def test_body_that_never_comes_to_its_end_is_answered_and_hung_up_on() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n")
        writer.write(b"content-length: 1000\r\n\r\n")
        dripping = asyncio.ensure_future(drip(writer, b"1"))
        assert await reader.readline() == b"HTTP/1.1 408 Request Timeout\r\n"
        with contextlib.suppress(ConnectionError):
            await reader.read()
        await dripping

    talking(talk)


def test_answer_that_nobody_reads_is_given_up() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET /long HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await reader.readline()
        await asyncio.sleep(2)  # the server hears nothing of this reader, whose buffer is full
        with contextlib.suppress(ConnectionError):
            assert len(await reader.read()) < 2**25

    talking(talk)


def test_in_a_full_house_the_connection_that_has_stalled_longest_is_closed() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = writer.get_extra_info("peername")
        others = [await asyncio.open_connection(host, port) for _ in range(3)]
        assert await reader.read() == b""  # the first that came
        last_reader, last = others[-1]
        last.write(b"GET /short HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert (await last_reader.readuntil(b"well")).startswith(b"HTTP/1.1 200")
        for _, other in others:
            other.transport.abort()

    talking(talk, connections=3)
