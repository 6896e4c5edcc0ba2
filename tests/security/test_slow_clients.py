"""Clients of the pages and of the API that send much, or read and send slowly: others are received and answered."""

from __future__ import annotations

import asyncio
import socket
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import psutil
import pytest
from pydantic import RootModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tests.support import agent_spans
from tests.support.api import make_api
from tests.support.page_client import PageClient
from tests.support.polling import until
from tests.support.server import Server, new_trace, running

from tracegrade.collector.metrics.counters import REGISTRY
from tracegrade.collector.receiver.grpc_at_http import Endpoints
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
from tracegrade.collector.store.maintenance.checkpoints import Checkpoints
from tracegrade.collector.store.maintenance.snapshots import StoreSnapshot
from tracegrade.collector.web.listeners import Listener, LoopThread
from tracegrade.queries.http import pace, spool
from tracegrade.queries.http.access import Access, AccessControl
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.body import FORM_BYTES, LARGE_FORM_BYTES, ArrivingBodies
from tracegrade.queries.http.endpoint import Call, endpoint
from tracegrade.queries.ports import Unavailable

MIB = 2**20
DESCRIPTORS = 512
CONNECTIONS = 40
STREAMS = DESCRIPTORS // 8 // 4
FORM = b"POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n"
ECHO = b"POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
PARTS = {"sql": "select repeat('x', 1000) as x from range(40000)", "max_rows": None, "format": "csv"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "store.duckdb") as server:
        yield server


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Server]:
    """A server that may have few descriptors, of which each port has an eighth."""
    with running(tmp_path / "store.duckdb", descriptors=DESCRIPTORS) as server:
        yield server


def connect(url: str, say: bytes = b"", *, buffer_bytes: int | None = None) -> socket.socket:
    """A connection on which something was said."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    connection = socket.socket()
    if buffer_bytes is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
    connection.settimeout(30)
    connection.connect((host, int(port)))
    with suppress(OSError):  # it was answered before the end
        connection.sendall(say)
    return connection


def read_all(connection: socket.socket) -> bytes:
    received = bytearray()
    with suppress(ConnectionError):
        while piece := connection.recv(65_536):
            received += piece
    return bytes(received)


def write_request(path: str, **body: Any) -> bytes:
    content = orjson.dumps(body)
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(content) + content


def count_refused(reason: str) -> float:
    return REGISTRY.get_sample_value("tracegrade_refused_answers_total", {"reason": reason}) or 0.0


# Forms and bodies


def test_forms_of_a_stranger_do_not_hold_up_receiving(server: Server) -> None:
    def measure_s() -> float:
        began = time.perf_counter()
        server.export(agent_spans.trip(new_trace()))
        return time.perf_counter() - began

    def attack() -> None:
        body = b"a=&" * (MIB // 3)
        while not stopped.is_set():
            with suppress(OSError), connect(server.web, FORM + b"content-length: %d\r\n\r\n" % len(body)) as stranger:
                stranger.sendall(body)
                stranger.recv(100)

    alone_s = statistics.median(measure_s() for _ in range(10))
    stopped = threading.Event()
    attackers = [threading.Thread(target=attack) for _ in range(4)]
    for attacker in attackers:
        attacker.start()
    try:
        attacked_s = statistics.median(measure_s() for _ in range(10))
    finally:
        stopped.set()
        for attacker in attackers:
            attacker.join()
    assert attacked_s < 10 * alone_s + 0.5


@pytest.mark.parametrize(
    ("path", "content", "status", "advice"),
    [
        pytest.param("/login", b"a=" + b"x" * FORM_BYTES, 413, "The form is too large", id="too large"),
        pytest.param("/login", b"a=&" * 1_000, 413, "The form is too large", id="too many fields"),
        pytest.param("/login", b"a=100%", 400, "a % has to be sent as %25", id="not encoded"),
        pytest.param("/preview", b"a=" + b"x" * FORM_BYTES, 403, "not valid any more", id="large for a preview"),
        pytest.param("/sql", b"a=" + b"x" * LARGE_FORM_BYTES, 413, "The form is too large", id="too large for SQL"),
    ],
)
def test_form_is_bounded_before_it_is_parsed(
    server: Server, path: str, content: bytes, status: int, advice: str
) -> None:
    before = server.figure('tracegrade_refused_answers_total{reason="too_large"}')
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = httpx.post(server.web + path, content=content, headers=headers, trust_env=False, timeout=30)
    assert answer.status_code == status
    assert advice in answer.text
    counted = server.figure('tracegrade_refused_answers_total{reason="too_large"}') - before
    assert counted == (status == 413)


def test_field_of_a_form_arrives_as_it_was_written(server: Server) -> None:
    with PageClient(server.web) as client:
        sql = "select 'ü+%41=&\t \u00a0' as x, '100%' as y"
        assert "100%" in client.submit("/preview", "/sql", sql=sql).text
        assert "ü+%41=&amp;" in client.submit("/preview", "/sql", sql=sql).text


def test_unfinished_forms_hold_little_memory(server: Server) -> None:
    process = psutil.Process(server.process.pid)
    before = process.memory_info().rss
    begun = FORM + b"content-length: %d\r\n\r\n" % MIB + b"a=" + b"x" * (MIB - 3)
    with ExitStack() as stack:
        for _ in range(300):
            stranger = stack.enter_context(closing(connect(server.web)))
            stranger.settimeout(1)
            with suppress(OSError):
                stranger.sendall(begun)
        assert httpx.get(f"{server.web}/readyz", trust_env=False, timeout=30).status_code == 200
        assert process.memory_info().rss - before < 100 * MIB


class Anything(RootModel[Any]):
    """Any JSON."""


@pytest.mark.parametrize(
    "framing",
    [
        pytest.param((b"content-length: 1000000\r\n\r\n", b"%b"), id="announced"),
        pytest.param((b"transfer-encoding: chunked\r\n\r\n", b"30d40\r\n%b\r\n"), id="chunked"),
    ],
)
def test_of_bodies_that_arrive_the_largest_make_room(framing: tuple[bytes, bytes]) -> None:
    @endpoint("POST", "/echo", "echo", body=Anything)
    async def echo(_: None, call: Call) -> Response:
        return Response(orjson.dumps(call.body(Anything).root))

    app = make_app([echo.make_route(None, AccessControl(None))])
    app.state.bodies = ArrivingBodies(MIB)
    head, chunk = framing
    refused = count_refused("bodies")
    with listening(app) as url, ExitStack() as stack:
        many = [stack.enter_context(closing(connect(url, ECHO + head + chunk % (b"1" * 200_000)))) for _ in range(10)]
        until(lambda: count_refused("bodies") - refused >= 5)
        assert app.state.bodies.size_bytes <= MIB
        answer = httpx.post(f"{url}/echo", json={"small": 1}, trust_env=False, timeout=30)
        assert (answer.status_code, answer.json()) == (200, {"small": 1})
        for stranger in many:
            stranger.shutdown(socket.SHUT_WR)
        answers = [read_all(stranger) for stranger in many]
    told = [answer for answer in answers if answer.startswith(b"HTTP/1.1 503") and b"\r\nretry-after: 5" in answer]
    assert len(told) >= 5
    assert app.state.bodies.size_bytes == 0


# Many requests at once


LAST = b" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"


def test_requests_of_every_kind_and_probes_take_turns() -> None:
    began: list[str] = []
    others_came = threading.Event()

    async def answer(request: Request) -> PlainTextResponse:
        began.append(request.url.path)
        if request.url.path == "/first":
            others_came.wait()  # so that all others have come before the next of them begins
        return PlainTextResponse("")

    paths = ("/first", "/runs", "/runs", "/runs", "/tools", "/readyz")
    with ExitStack() as stack:
        url = stack.enter_context(listening(Starlette(routes=[Route("/{path}", answer)])))
        clients = [stack.enter_context(closing(connect(url, b"GET /first" + LAST)))]
        until(lambda: began, lambda found: found == ["/first"])
        clients += [stack.enter_context(closing(connect(url, f"GET {path}".encode() + LAST))) for path in paths[1:]]
        others_came.set()
        for client in clients:
            assert read_all(client).startswith(b"HTTP/1.1 200")
    assert began.index("/readyz") == 1
    assert began.index("/tools") < len(began) - 1


# Exports and snapshots


@contextmanager
def listening(app: Starlette) -> Iterator[str]:
    """A listener of the API with a loop of its own; yields its URL."""
    loop = LoopThread("listener")
    endpoints = Endpoints("127.0.0.1:4317", "127.0.0.1:4318")
    start = Listener.start("127.0.0.1:0", app, option="--web", endpoints=endpoints, connections=CONNECTIONS)
    listener = asyncio.run(loop.call(start))
    try:
        yield f"http://{listener.address}"
    finally:
        asyncio.run(loop.call(listener.stop()))
        asyncio.run(loop.close())


@pytest.fixture
def database(tmp_path: Path) -> Iterator[DuckDbFile]:
    opened = DuckDbFile(tmp_path / "store.duckdb", checkpoints_itself=False)
    yield opened
    opened.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that fall behind for a moment are cut off."""
    monkeypatch.setattr(pace, "PATIENCE_S", 0.5)


@contextmanager
def reading_nothing(url: str, say: bytes, count: int) -> Iterator[Sequence[socket.socket]]:
    """Clients that read the beginning of an answer, and no more of it."""
    with ExitStack() as stack:
        readers = [stack.enter_context(closing(connect(url, say, buffer_bytes=4_096))) for _ in range(count)]
        for reader in readers:
            assert reader.recv(100).startswith(b"HTTP/1.1 200")
        yield readers


def test_readers_that_read_nothing_keep_no_turn_of_exports(server: Server) -> None:
    with reading_nothing(server.web, write_request("/api/v1/sql", **PARTS), 4):
        answer = httpx.post(f"{server.web}/api/v1/sql", json=PARTS, trust_env=False, timeout=30)
        assert len(answer.content) > 40_000_000


def test_answers_that_nobody_reads_take_no_memory(server: Server) -> None:
    process = psutil.Process(server.process.pid)
    sql = "select repeat('x', 100000) as text from range(300)"
    with httpx.Client(base_url=server.web, trust_env=False, timeout=60) as client:
        whole = client.post("/api/v1/sql", json={"sql": sql})
        assert len(whole.json()["rows"]) == 300
        before = process.memory_info().rss
        with ExitStack() as stack:
            for _ in range(12):
                asked = client.stream("POST", "/api/v1/sql", json={"sql": sql})
                assert stack.enter_context(asked).headers["x-tracegrade-rows"] == "300"
            assert process.memory_info().rss - before < 4 * len(whole.content)


def test_exports_leave_room_for_whole_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "_SPOOLED_BYTES", 8 * MIB)
    disk, part = spool.Disk(TemporaryFile), b"x" * MIB
    with TemporaryFile() as export:
        while disk.take(export, MIB):
            pass
        with pytest.raises(Unavailable, match="no room"):
            disk.spool([part] * 3)
        whole = disk.spool([part] * 2)
        assert (whole.size_bytes, whole.read(MIB, 3)) == (2 * MIB, b"xxx")
        whole.close()
        del whole
        disk.spool([part] * 2)


@pytest.mark.usefixtures("impatient")
def test_export_that_is_read_too_slowly_is_cut_off(database: DuckDbFile) -> None:
    before = count_refused("slow_reader")
    app = make_api(reader=database.readers)
    with listening(app) as url, reading_nothing(url, write_request("/api/v1/sql", **PARTS), 1) as (reader,):

        def read_a_little() -> float:
            reader.recv(100)
            return count_refused("slow_reader")

        until(read_a_little, lambda count: count > before)
        assert not read_all(reader).endswith(b"0\r\n\r\n")


def test_export_goes_on_at_the_pace_of_its_client(database: DuckDbFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Any:
        raise OSError("no room")

    app = make_api(reader=database.readers, open_scratch=refuse)
    with listening(app) as url, reading_nothing(url, write_request("/api/v1/sql", **PARTS), 2) as readers:
        for reader in readers:
            assert read_all(reader).endswith(b"0\r\n\r\n")


def test_slow_snapshot_holds_back_no_checkpoint(database: DuckDbFile) -> None:
    clock = [0.0]
    checkpoints = Checkpoints(database, clock=lambda: clock[0])
    with database.cursor() as connection:
        connection.execute("create table large as select uuid() as x from range(1000000)")
    commands = SimpleNamespace(snapshot=lambda: StoreSnapshot(database, checkpoints))
    with (
        listening(make_api(commands=commands)) as url,
        reading_nothing(url, write_request("/api/v1/snapshot"), 1) as (reader,),
    ):
        with database.cursor() as connection:
            connection.execute("create table more as select range from range(1000)")
        assert database.wal_bytes
        clock[0] = 10_000.0
        checkpoints.attend(is_idle=True)
        assert not database.wal_bytes
        assert len(read_all(reader)) > 10 * MIB


@pytest.mark.usefixtures("impatient")
def test_slow_snapshots_make_room_for_others_that_wait(database: DuckDbFile) -> None:
    with database.cursor() as connection:
        connection.execute("create table large as select uuid() as x from range(1000000)")
    checkpoints = Checkpoints(database)
    commands = SimpleNamespace(snapshot=lambda: StoreSnapshot(database, checkpoints))
    with listening(make_api(commands=commands)) as url, reading_nothing(url, write_request("/api/v1/snapshot"), 2):
        answer = httpx.post(f"{url}/api/v1/snapshot", json={}, trust_env=False, timeout=30)
        assert len(answer.content) == int(answer.headers["content-length"])


# Streams and waiting requests


def test_streams_leave_most_connections_to_others(small: Server) -> None:
    stream = b"GET /live?after=0 HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with ExitStack() as stack:
        heads = []
        for _ in range(500):
            client = stack.enter_context(closing(connect(small.web, stream)))
            with suppress(OSError):  # it was closed for a later one
                heads.append(client.recv(65_536))
            for path in ("/healthz", "/readyz"):
                if len(heads) % 50 == 0:
                    assert httpx.get(small.web + path, trust_env=False, timeout=10).status_code == 200
        refused = [head for head in heads if head.startswith(b"HTTP/1.1 503")]
        assert len(refused) >= 500 - STREAMS - 50
        assert all(b"\r\nretry-after: 60\r\n" in head for head in refused)
        assert sum(head.startswith(b"HTTP/1.1 200") for head in heads) == STREAMS
        assert httpx.get(f"{small.web}/runs", trust_env=False, timeout=30).status_code == 200
        small.add_run()


def test_probe_is_answered_while_all_others_wait() -> None:
    @endpoint("GET", "/wait", "wait", access=Access.HOST)
    async def wait(end: asyncio.Event, _: Call) -> Response:
        answered_later.append(None)
        await end.wait()
        return Response("waited")

    @endpoint("GET", "/probe", "probe", access=Access.ANYONE)
    async def probe(_end: asyncio.Event, _: Call) -> Response:
        return Response("well")

    answered_later: list[None] = []
    end, control = asyncio.Event(), AccessControl(None)
    waiting = b"GET /wait HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with (
        listening(make_app([wait.make_route(end, control), probe.make_route(end, control)])) as url,
        ExitStack() as crowd,
    ):

        def wait_too(count: Callable[[], float]) -> float:
            crowd.enter_context(closing(connect(url, waiting)))
            return count()

        until(lambda: wait_too(lambda: len(answered_later)), lambda count: count >= CONNECTIONS * 3 // 4)
        before = count_refused("connections")
        until(lambda: wait_too(lambda: count_refused("connections") - before))
        refused = httpx.get(f"{url}/wait", trust_env=False, timeout=10)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert "send the request again later" in refused.json()["detail"]
        assert httpx.get(f"{url}/probe", trust_env=False, timeout=10).text == "well"


def test_page_that_has_no_connection_left_says_so(small: Server) -> None:
    endless = write_request("/api/v1/sql", sql="select count(*) from range(1000000000000)", timeout_s=60)
    stopped = threading.Event()

    def wait_for_answers() -> None:
        while not stopped.is_set():
            with ExitStack() as stack:
                for _ in range(DESCRIPTORS // 8):
                    stack.enter_context(closing(connect(small.web, endless)))
                stopped.wait(4)

    crowd = threading.Thread(target=wait_for_answers)
    crowd.start()
    try:
        is_refused = lambda page: page.status_code == 503  # noqa: E731
        page = until(lambda: httpx.get(f"{small.web}/runs", trust_env=False, timeout=10), is_refused)
        assert (page.headers["content-type"], page.headers["retry-after"]) == ("text/html; charset=utf-8", "5")
    finally:
        stopped.set()
        crowd.join()
