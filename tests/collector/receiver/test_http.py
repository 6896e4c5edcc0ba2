from __future__ import annotations

import asyncio
import gzip
import json
import socket
import threading
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import uvicorn
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from opentelemetry.sdk.trace.export import SpanExportResult
from starlette.applications import Starlette
from starlette.requests import Request
from tests.support.sdk import end_span

from tracegrade.collector.errors import (
    CollectorError,
    Draining,
    Malformed,
    Overloaded,
    StoreBusy,
    TooLarge,
    Unavailable,
)
from tracegrade.collector.metrics.counters import REGISTRY
from tracegrade.collector.otlp.json import Converted, to_protobuf
from tracegrade.collector.otlp.limits import RequestLimits
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.receiver.body import read
from tracegrade.collector.receiver.http import routes

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
A_SPAN = ResourceSpans(scope_spans=[ScopeSpans(spans=[Span(name="search")])])
BODY = ExportTraceServiceRequest(resource_spans=[A_SPAN]).SerializeToString()
JSON_BODY = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "search"}]}]}]}'
LIMIT_BYTES = 1024 * 1024


@dataclass
class RecordingIntake:
    """Keeps what it is given, and counts the room that is taken."""

    outcome: ExportOutcome = field(default_factory=lambda: ExportOutcome(1))
    error: Exception | None = None
    room_bytes: int = 1_000_000_000
    seen: list[tuple[Signal, bytes]] = field(default_factory=list)
    taken_bytes: int = 0
    most_taken_bytes: int = 0
    reading: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def reserve(self, size_bytes: int) -> Iterator[RecordingIntake]:
        self.grow(size_bytes)
        try:
            yield self
        finally:
            self.taken_bytes = 0
            self.left.set()

    def grow(self, size_bytes: int) -> None:
        if self.taken_bytes + size_bytes > self.room_bytes:
            raise Overloaded("no room", retry_after_s=7)
        self.taken_bytes += size_bytes
        self.most_taken_bytes = max(self.most_taken_bytes, self.taken_bytes)
        if self.taken_bytes:
            self.reading.set()

    async def accept(self, signal: Signal, body: bytes) -> ExportOutcome:
        assert self.taken_bytes >= len(body)
        if self.error:
            raise self.error
        self.seen.append((signal, body))
        return self.outcome


def refused_requests(reason: str) -> float:
    return REGISTRY.get_sample_value("tracegrade_refused_requests_total", {"reason": reason}) or 0.0


@asynccontextmanager
async def serving(consumer: RecordingIntake) -> AsyncIterator[int]:
    """The port of a real server, up when the block begins and gone when it ends."""
    app = Starlette(routes=routes(consumer, limits=RequestLimits(body_bytes=LIMIT_BYTES)))
    config = uvicorn.Config(app, log_level="critical", lifespan="off", http="h11")
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        await server.startup(sockets=[listening])
        try:
            yield listening.getsockname()[1]
        finally:
            await server.shutdown(sockets=[listening])


def exchange(consumer: RecordingIntake, speak: Callable[[int], Awaitable[Any]]) -> Any:
    async def served() -> Any:
        async with serving(consumer) as port:
            return await speak(port)

    return asyncio.run(served())


def post(
    consumer: RecordingIntake,
    content: bytes | AsyncIterator[bytes],
    *,
    path: str = "/v1/traces",
    content_type: str | None = PROTOBUF,
    encoding: str | None = None,
    method: str = "POST",
) -> httpx.Response:
    headers = {"content-type": content_type, "content-encoding": encoding}

    async def speak(port: int) -> httpx.Response:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, verify=False) as client:
            given = {name: value for name, value in headers.items() if value is not None}
            return await client.request(method, path, content=content, headers=given)

    answer: httpx.Response = exchange(consumer, speak)
    return answer


async def in_chunks(body: bytes, *, size_bytes: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(body), size_bytes):
        yield body[start : start + size_bytes]


def bomb(*, wbits: int, size_bytes: int = 50_000_000) -> bytes:
    packer = zlib.compressobj(9, wbits=wbits)
    zeros = bytes(1_000_000)
    return b"".join(packer.compress(zeros) for _ in range(size_bytes // len(zeros))) + packer.flush()


@pytest.mark.parametrize("signal", Signal)
def test_protobuf_is_handed_over_as_it_came(signal: Signal) -> None:
    consumer = RecordingIntake()
    answer = post(consumer, BODY, path=f"/v1/{signal}")
    assert consumer.seen == [(signal, BODY)]
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, PROTOBUF, b"")


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        pytest.param("identity", BODY, id="identity"),
        pytest.param("gzip", gzip.compress(BODY), id="gzip"),
        pytest.param("GZIP", gzip.compress(BODY), id="capitals"),
        pytest.param("deflate", zlib.compress(BODY), id="deflate"),
        pytest.param("gzip", b"", id="gzip of nothing"),
    ],
)
def test_compressed_body_is_unpacked(encoding: str, packed: bytes) -> None:
    consumer = RecordingIntake()
    assert post(consumer, packed, encoding=encoding).status_code == 200
    assert consumer.seen == [(Signal.TRACES, BODY if packed else b"")]


@pytest.mark.parametrize("chunk_bytes", [7, 1000], ids=["chunks within a piece", "a chunk of many pieces"])
def test_body_that_unpacks_into_many_pieces_arrives_whole(chunk_bytes: int) -> None:
    consumer = RecordingIntake()
    body = bytes(LIMIT_BYTES)
    chunks = in_chunks(gzip.compress(body), size_bytes=chunk_bytes)
    assert post(consumer, chunks, encoding="gzip").status_code == 200
    assert consumer.seen == [(Signal.TRACES, body)]


def test_empty_body_is_an_empty_request() -> None:
    consumer = RecordingIntake()
    assert post(consumer, b"").status_code == 200
    assert consumer.seen == [(Signal.TRACES, b"")]


@pytest.mark.parametrize("content_type", [JSON, "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_handed_over_as_protobuf_and_answered_in_json(content_type: str) -> None:
    consumer = RecordingIntake()
    answer = post(consumer, JSON_BODY, content_type=content_type)
    assert consumer.seen == [(Signal.TRACES, BODY)]
    assert (answer.status_code, answer.headers["content-type"], answer.json()) == (200, JSON, {})


def test_large_json_is_converted_beside_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def converting(signal: Signal, body: bytes, limits: RequestLimits) -> Converted:
        threads.append(threading.current_thread())
        return to_protobuf(signal, body, limits)

    monkeypatch.setattr("tracegrade.collector.receiver.http.to_protobuf", converting)
    large = JSON_BODY.replace(b"search", b"search" * 20_000)
    assert post(RecordingIntake(), large, content_type=JSON).status_code == 200
    assert post(RecordingIntake(), JSON_BODY, content_type=JSON).status_code == 200
    assert [thread is threading.main_thread() for thread in threads] == [False, True]


@pytest.mark.parametrize(
    ("signal", "counted"),
    [
        (Signal.TRACES, "rejectedSpans"),
        (Signal.LOGS, "rejectedLogRecords"),
        (Signal.METRICS, "rejectedDataPoints"),
    ],
)
def test_rejected_records_are_told_with_their_reason(signal: Signal, counted: str) -> None:
    answer = post(
        RecordingIntake(ExportOutcome(3, rejected=2, message="no trace id")),
        b"{}",
        path=f"/v1/{signal}",
        content_type=JSON,
    )
    assert answer.status_code == 200
    assert answer.json() == {"partialSuccess": {counted: "2", "errorMessage": "no trace id"}}


def test_rejected_spans_are_told_in_protobuf_to_whom_speaks_it() -> None:
    answer = post(RecordingIntake(ExportOutcome(3, rejected=2, message="no trace id")), BODY)
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (partial.rejected_spans, partial.error_message) == (2, "no trace id")


def test_spans_that_the_json_left_unreadable_are_added_to_the_rejected() -> None:
    consumer = RecordingIntake(ExportOutcome(1, rejected=1, message="no trace id"))
    spans = [{"name": "search"}, {"name": 1}, {}]
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    assert post(consumer, body, content_type=JSON).json() == {
        "partialSuccess": {"rejectedSpans": "2", "errorMessage": "span 2: name: not a string; no trace id"}
    }


@pytest.mark.parametrize(
    "error",
    [Malformed("no OTLP"), TooLarge("too much"), StoreBusy("locked", retry_after_s=3), Draining("stopping")],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_refusal_is_a_status_in_the_encoding_of_the_request(error: CollectorError, content_type: str) -> None:
    answer = post(RecordingIntake(error=error), b"{}" if content_type == JSON else b"", content_type=content_type)
    assert (answer.status_code, answer.headers["content-type"]) == (error.http_status, content_type)
    if content_type == JSON:
        said = (answer.json()["code"], answer.json()["message"])
    else:
        status = Status.FromString(answer.content)
        said = (status.code, status.message)
    assert said == (error.grpc_code, str(error))


@pytest.mark.parametrize(
    ("consumer", "body", "reason"),
    [
        (RecordingIntake(error=StoreBusy("locked")), BODY, "storebusy"),
        (RecordingIntake(), b"\x00" * (LIMIT_BYTES + 1), "toolarge"),
    ],
    ids=["by_the_consumer", "by_the_receiver"],
)
def test_refused_request_is_counted_by_reason(consumer: RecordingIntake, body: bytes, reason: str) -> None:
    before = refused_requests(reason)
    assert post(consumer, body).status_code >= 400
    assert refused_requests(reason) == before + 1


def test_unavailable_says_when_to_come_back() -> None:
    error = StoreBusy("locked", retry_after_s=3)
    protobuf = post(RecordingIntake(error=error), BODY)
    delay = RetryInfo()
    assert Status.FromString(protobuf.content).details[0].Unpack(delay)
    assert (protobuf.headers["retry-after"], delay.retry_delay.seconds) == ("3", 3)
    written = post(RecordingIntake(error=error), JSON_BODY, content_type=JSON).json()["details"]
    assert written == [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}]


def test_fault_of_ours_is_answered_so_that_the_sender_keeps_its_spans(capsys: pytest.CaptureFixture[str]) -> None:
    answer = post(RecordingIntake(error=ZeroDivisionError("secret")), BODY)
    assert answer.status_code == 503
    assert b"secret" not in answer.content
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [
        pytest.param("text/plain", None, id="text"),
        pytest.param(None, None, id="no content type"),
        pytest.param(PROTOBUF, "zstd", id="zstd"),
        pytest.param(PROTOBUF, "gzip, gzip", id="gzip twice"),
    ],
)
def test_unknown_content_type_or_encoding_is_unsupported(content_type: str | None, encoding: str | None) -> None:
    consumer = RecordingIntake()
    assert post(consumer, BODY, content_type=content_type, encoding=encoding).status_code == 415
    assert consumer.seen == []


@pytest.mark.parametrize(
    ("content_type", "encoding", "body", "message"),
    [
        pytest.param(JSON, None, b"{", "not JSON", id="half an object"),
        pytest.param(JSON, None, b"", "not JSON", id="empty JSON"),
        pytest.param(PROTOBUF, "gzip", BODY, "not gzip", id="not compressed"),
        pytest.param(PROTOBUF, "gzip", gzip.compress(BODY)[:-4], "cut off", id="gzip cut off"),
        pytest.param(PROTOBUF, "gzip", gzip.compress(BODY) * 2, "something follows", id="two gzip streams"),
    ],
)
def test_unreadable_body_is_malformed(content_type: str, encoding: str | None, body: bytes, message: str) -> None:
    consumer = RecordingIntake()
    answer = post(consumer, body, content_type=content_type, encoding=encoding)
    assert (answer.status_code, consumer.seen) == (400, [])
    assert message in answer.text


def test_body_at_the_limit_is_taken_and_one_byte_more_is_not() -> None:
    assert post(RecordingIntake(), bytes(LIMIT_BYTES)).status_code == 200
    assert post(RecordingIntake(), bytes(LIMIT_BYTES + 1)).status_code == 413


def test_body_of_unknown_length_is_refused_once_it_is_over_the_limit() -> None:
    consumer = RecordingIntake()
    assert post(consumer, in_chunks(bytes(3 * LIMIT_BYTES), size_bytes=10_000)).status_code == 413
    assert consumer.most_taken_bytes <= LIMIT_BYTES


@pytest.mark.parametrize(("encoding", "wbits"), [("gzip", 31), ("deflate", 15)])
def test_bomb_is_stopped_before_it_has_gone_off(encoding: str, wbits: int) -> None:
    consumer = RecordingIntake()
    assert post(consumer, bomb(wbits=wbits), encoding=encoding).status_code == 413
    assert consumer.most_taken_bytes <= LIMIT_BYTES
    assert consumer.seen == []


def test_announced_length_over_the_limit_is_refused_before_any_of_it_is_sent() -> None:
    async def announce(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(content_length=LIMIT_BYTES + 1))
        answer = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return answer

    assert exchange(RecordingIntake(), announce).startswith(b"HTTP/1.1 413 ")


def test_sender_that_hangs_up_leaves_nothing_behind() -> None:
    async def hang_up(port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head(content_length=1000) + b"half of it")
        await consumer.reading.wait()
        writer.close()
        await writer.wait_closed()
        await consumer.left.wait()

    consumer = RecordingIntake()
    exchange(consumer, hang_up)
    assert (consumer.taken_bytes, consumer.seen) == (0, [])


def head(*, content_length: int) -> bytes:
    lines = ["POST /v1/traces HTTP/1.1", "host: here", f"content-type: {PROTOBUF}", f"content-length: {content_length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def test_sender_that_stalls_is_told_to_come_again() -> None:
    async def stalled() -> Any:
        await asyncio.Event().wait()

    request = Request({"type": "http", "method": "POST", "path": "/v1/traces", "headers": []}, stalled)

    async def reading() -> None:
        with RecordingIntake().reserve(0) as room:
            await read(request, room, limits=RequestLimits(body_bytes=10), time_limit_s=0.01)

    with pytest.raises(Unavailable, match="the body was not complete"):
        asyncio.run(reading())


def test_body_is_refused_when_there_is_no_more_room() -> None:
    consumer = RecordingIntake(room_bytes=5000)
    answer = post(consumer, in_chunks(bytes(10_000)))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "7")
    assert (consumer.taken_bytes, consumer.seen) == (0, [])


def test_connection_serves_the_next_export_after_a_refusal() -> None:
    async def speak(port: int) -> list[int]:
        limits = httpx.Limits(max_connections=1)
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", limits=limits, trust_env=False, verify=False
        ) as client:
            bodies = [bytes(2 * LIMIT_BYTES), BODY]
            answers = [await client.post("/v1/traces", content=b, headers={"content-type": PROTOBUF}) for b in bodies]
            return [answer.status_code for answer in answers]

    assert exchange(RecordingIntake(), speak) == [413, 200]


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_methods_are_not_allowed(method: str) -> None:
    answer = post(RecordingIntake(), b"", method=method, content_type=None)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert "POST" in answer.json()["message"]


@pytest.mark.parametrize("path", ["/v1/profiles", "/v1/traces/v1/traces", "/v1/"])
def test_other_paths_are_told_the_right_ones(path: str) -> None:
    answer = post(RecordingIntake(), BODY, path=path)
    assert answer.status_code == 404
    assert "/v1/traces, /v1/logs, /v1/metrics" in Status.FromString(answer.content).message


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip, Compression.Deflate])
def test_the_sdk_exporter_is_understood(compression: Compression) -> None:
    consumer = RecordingIntake()

    async def speak(port: int) -> SpanExportResult:
        return await asyncio.to_thread(exported, port)

    def exported(port: int) -> SpanExportResult:
        exporter = OTLPSpanExporter(f"http://127.0.0.1:{port}/v1/traces", compression=compression)
        try:
            return exporter.export(end_span())
        finally:
            exporter.shutdown()  # type: ignore[no-untyped-call]

    assert exchange(consumer, speak) is SpanExportResult.SUCCESS
    request = ExportTraceServiceRequest.FromString(consumer.seen[0][1])
    assert [span.name for span in request.resource_spans[0].scope_spans[0].spans] == ["search"]
