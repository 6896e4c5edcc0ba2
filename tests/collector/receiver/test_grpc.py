from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span
from opentelemetry.sdk.trace.export import SpanExportResult
from tests.support.sdk import end_span

from tracegrade.collector.errors import CollectorError, Draining, Malformed, Overloaded, StoreBusy
from tracegrade.collector.otlp.limits import RequestLimits
from tracegrade.collector.otlp.services import SERVICES
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.receiver.address import CannotListen
from tracegrade.collector.receiver.grpc import GrpcReceiver

LIMIT_BYTES = 1024 * 1024
A_SPAN = ResourceSpans(scope_spans=[ScopeSpans(spans=[Span(name="search")])])
BODY = ExportTraceServiceRequest(resource_spans=[A_SPAN]).SerializeToString()
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVING = health_pb2.HealthCheckResponse.SERVING


@dataclass
class RecordingIntake:
    """Keeps what it is given; `gate` holds every export until it is opened."""

    outcome: ExportOutcome = field(default_factory=lambda: ExportOutcome(1))
    error: Exception | None = None
    room_bytes: int = 1_000_000_000
    gate: asyncio.Event | None = None
    seen: list[tuple[Signal, bytes]] = field(default_factory=list)
    taken_bytes: int = 0
    entered: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def reserve(self, size_bytes: int) -> Iterator[RecordingIntake]:
        self.grow(size_bytes)
        try:
            yield self
        finally:
            self.taken_bytes = 0

    def grow(self, size_bytes: int) -> None:
        if self.taken_bytes + size_bytes > self.room_bytes:
            raise Overloaded("no room", retry_after_s=7)
        self.taken_bytes += size_bytes

    async def accept(self, signal: Signal, body: bytes) -> ExportOutcome:
        assert self.taken_bytes == len(body)
        self.entered.set()
        if self.gate:
            await self.gate.wait()
        if self.error:
            raise self.error
        self.seen.append((signal, body))
        return self.outcome


@dataclass
class Talk:
    """A receiver that listens, and a channel to it."""

    receiver: GrpcReceiver
    port: int
    channel: Any

    async def export(self, body: bytes, *, signal: Signal = Signal.TRACES) -> bytes:
        answer: bytes = await self.channel.unary_unary(f"/{SERVICES[signal].name}/Export")(body)
        return answer

    async def health(self) -> int:
        check = self.channel.unary_unary("/grpc.health.v1.Health/Check")
        return health_pb2.HealthCheckResponse.FromString(await check(b"")).status


@asynccontextmanager
async def talking(consumer: RecordingIntake, *, compression: grpc.Compression | None = None) -> AsyncIterator[Talk]:
    receiver = GrpcReceiver(consumer, limits=RequestLimits(body_bytes=LIMIT_BYTES))
    port = await receiver.start("127.0.0.1:0")
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", compression=compression) as channel:
            yield Talk(receiver, port, channel)
    finally:
        await receiver.drain(0)


def exchange(
    consumer: RecordingIntake, speak: Callable[[Talk], Awaitable[Any]], *, compression: grpc.Compression | None = None
) -> Any:
    async def served() -> Any:
        async with talking(consumer, compression=compression) as talk:
            return await speak(talk)

    return asyncio.run(served())


def export(
    consumer: RecordingIntake,
    body: bytes = BODY,
    *,
    signal: Signal = Signal.TRACES,
    compression: grpc.Compression | None = None,
) -> bytes:
    answer: bytes = exchange(consumer, lambda talk: talk.export(body, signal=signal), compression=compression)
    return answer


def refusal(consumer: RecordingIntake, body: bytes = BODY) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        export(consumer, body)
    return caught.value


def status_of(error: grpc.aio.AioRpcError) -> Status:
    trailing: Any = error.trailing_metadata()
    return Status.FromString(dict(trailing)["grpc-status-details-bin"])


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
@pytest.mark.parametrize("signal", Signal)
def test_export_is_handed_over_as_bytes(signal: Signal, compression: grpc.Compression) -> None:
    consumer = RecordingIntake()
    assert export(consumer, BODY, signal=signal, compression=compression) == b""
    assert consumer.seen == [(signal, BODY)]


def test_empty_export_is_taken() -> None:
    consumer = RecordingIntake()
    assert export(consumer, b"") == b""
    assert consumer.seen == [(Signal.TRACES, b"")]


def test_rejected_records_are_told_with_their_reason() -> None:
    outcome = ExportOutcome(3, rejected=2, message="no trace id")
    spans = ExportTraceServiceResponse.FromString(export(RecordingIntake(outcome))).partial_success
    logs = ExportLogsServiceResponse.FromString(export(RecordingIntake(outcome), signal=Signal.LOGS)).partial_success
    points = ExportMetricsServiceResponse.FromString(export(RecordingIntake(outcome), signal=Signal.METRICS))
    assert (spans.rejected_spans, spans.error_message) == (2, "no trace id")
    assert (logs.rejected_log_records, logs.error_message) == (2, "no trace id")
    assert points.partial_success.rejected_data_points == 2


@pytest.mark.parametrize("error", [Malformed("no OTLP"), StoreBusy("locked")], ids=lambda error: type(error).__name__)
def test_refusal_carries_code_message_and_status(error: CollectorError) -> None:
    refused = refusal(RecordingIntake(error=error))
    status = status_of(refused)
    assert (refused.code().value[0], refused.details()) == (error.grpc_code, str(error))
    assert (status.code, status.message) == (error.grpc_code, str(error))


def test_unavailable_says_when_to_come_back_and_rejected_does_not() -> None:
    delay = RetryInfo()
    assert status_of(refusal(RecordingIntake(error=StoreBusy("locked", retry_after_s=3)))).details[0].Unpack(delay)
    assert delay.retry_delay.seconds == 3
    assert not status_of(refusal(RecordingIntake(error=Malformed("no OTLP")))).details


def test_export_is_refused_when_there_is_no_room() -> None:
    consumer = RecordingIntake(room_bytes=10)
    assert refusal(consumer, bytes(11)).code() is grpc.StatusCode.UNAVAILABLE
    assert (consumer.taken_bytes, consumer.seen) == (0, [])


def test_fault_of_ours_is_answered_so_that_the_sender_keeps_its_spans(capsys: pytest.CaptureFixture[str]) -> None:
    refused = refusal(RecordingIntake(error=ZeroDivisionError("secret")))
    assert refused.code() is grpc.StatusCode.UNAVAILABLE
    assert "secret" not in (refused.details() or "")
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_export_at_the_limit_is_taken_and_one_byte_more_is_not() -> None:
    assert export(RecordingIntake(), bytes(LIMIT_BYTES)) == b""
    consumer = RecordingIntake()
    refused = refusal(consumer, bytes(LIMIT_BYTES + 1))
    assert refused.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "raise ingest.max_request_bytes" in status_of(refused).message
    assert not status_of(refused).details
    assert consumer.seen == []


@pytest.mark.parametrize(
    ("size_bytes", "code"),
    [
        pytest.param(LIMIT_BYTES + 1, grpc.StatusCode.INVALID_ARGUMENT, id="by us"),
        pytest.param(2 * LIMIT_BYTES + 1, grpc.StatusCode.RESOURCE_EXHAUSTED, id="by gRPC"),
    ],
)
def test_gzip_of_too_much_is_refused_though_it_is_small_on_the_wire(size_bytes: int, code: grpc.StatusCode) -> None:
    consumer = RecordingIntake()
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        export(consumer, bytes(size_bytes), compression=grpc.Compression.Gzip)
    assert caught.value.code() is code
    assert consumer.seen == []


BOMB_BYTES = 200_000_000
BOMBER = f"""
import grpc, sys
with grpc.insecure_channel(
    sys.argv[1], compression=grpc.Compression.Gzip, options=[("grpc.max_send_message_length", -1)]
) as channel:
    try:
        channel.unary_unary("/{SERVICES[Signal.TRACES].name}/Export")(bytes({BOMB_BYTES}))
    except grpc.RpcError as error:
        print(error.code().name)
"""


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is reset through /proc")
def test_bomb_is_stopped_before_it_has_gone_off() -> None:
    async def throw(talk: Talk) -> tuple[str, int]:
        before_bytes = peak_bytes(afresh=True)
        bomber = await asyncio.create_subprocess_exec(
            sys.executable, "-c", BOMBER, f"127.0.0.1:{talk.port}", stdout=subprocess.PIPE
        )
        said, _ = await bomber.communicate()
        return said.decode().strip(), peak_bytes() - before_bytes

    said, grown_bytes = exchange(RecordingIntake(), throw)
    assert said == "RESOURCE_EXHAUSTED"
    assert grown_bytes < BOMB_BYTES / 4


def peak_bytes(*, afresh: bool = False) -> int:
    if afresh:
        Path("/proc/self/clear_refs").write_text("5")
    kilobytes = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert kilobytes
    return int(kilobytes[1]) * 1024


def test_who_watches_health_hears_that_the_server_drains() -> None:
    async def speak(talk: Talk) -> list[int]:
        consumer.gate = asyncio.Event()
        running = asyncio.create_task(talk.export(BODY))
        await consumer.entered.wait()
        watch = talk.channel.unary_stream("/grpc.health.v1.Health/Watch")(b"")
        first = health_pb2.HealthCheckResponse.FromString(await watch.read()).status
        draining = asyncio.create_task(talk.receiver.drain(grace_s=30))
        second = health_pb2.HealthCheckResponse.FromString(await watch.read()).status
        consumer.gate.set()
        await asyncio.gather(running, draining)
        return [first, second]

    consumer = RecordingIntake()
    assert exchange(consumer, speak) == [SERVING, NOT_SERVING]


def test_reflection_lists_the_services() -> None:
    async def speak(talk: Talk) -> list[str]:
        call = talk.channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services="*").SerializeToString())
        answer = reflection_pb2.ServerReflectionResponse.FromString(await call.read())
        call.cancel()
        return [service.name for service in answer.list_services_response.service]

    listed = exchange(RecordingIntake(), speak)
    assert {service.name for service in SERVICES.values()} < set(listed)
    assert "grpc.health.v1.Health" in listed


def test_draining_lets_running_exports_end_and_sends_new_ones_away() -> None:
    async def speak(talk: Talk) -> None:
        consumer.gate = asyncio.Event()
        running = asyncio.create_task(talk.export(BODY))
        await consumer.entered.wait()
        draining = asyncio.create_task(talk.receiver.drain(grace_s=30))
        while await talk.health() == SERVING:  # each turn asks the server, none sleeps
            pass
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await talk.export(BODY)
        assert status_of(caught.value).code == Draining.grpc_code
        assert status_of(caught.value).details
        consumer.gate.set()
        assert await running == b""
        await draining

    consumer = RecordingIntake()
    exchange(consumer, speak)
    assert len(consumer.seen) == 1


def test_export_that_outlasts_the_grace_is_cut_off() -> None:
    async def speak(talk: Talk) -> None:
        consumer.gate = asyncio.Event()
        running = asyncio.create_task(talk.export(BODY))
        await consumer.entered.wait()
        await talk.receiver.drain(grace_s=0.01)
        with pytest.raises(grpc.aio.AioRpcError):
            await running

    consumer = RecordingIntake()
    exchange(consumer, speak)
    assert (consumer.taken_bytes, consumer.seen) == (0, [])


def test_second_receiver_on_the_port_fails_with_address_and_remedy() -> None:
    async def speak(talk: Talk) -> str:
        second = GrpcReceiver(RecordingIntake(), limits=RequestLimits(body_bytes=LIMIT_BYTES))
        with pytest.raises(CannotListen) as caught:
            await second.start(f"127.0.0.1:{talk.port}")
        return str(caught.value).replace(str(talk.port), "PORT")

    assert exchange(RecordingIntake(), speak) == (
        "cannot listen on 127.0.0.1:PORT: another process listens there: stop it, or choose another with --grpc"
    )


def test_name_of_which_one_address_is_taken_fails_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        receiver = GrpcReceiver(RecordingIntake(), limits=RequestLimits(body_bytes=LIMIT_BYTES))
        with pytest.raises(CannotListen, match="another process listens there"):
            asyncio.run(receiver.start(f"localhost:{taken.getsockname()[1]}"))


@pytest.mark.parametrize(
    "address", ["4317", "localhost", ":4317", "127.0.0.1:otlp", "127.0.0.1:70000", "203.0.113.7:4317"]
)
def test_address_that_is_none_or_not_ours_is_told(address: str) -> None:
    receiver = GrpcReceiver(RecordingIntake(), limits=RequestLimits(body_bytes=LIMIT_BYTES))
    with pytest.raises(CannotListen, match=f"{re.escape(address)}.*--grpc"):
        asyncio.run(receiver.start(address))


def test_draining_what_never_started_is_nothing() -> None:
    asyncio.run(GrpcReceiver(RecordingIntake(), limits=RequestLimits(body_bytes=LIMIT_BYTES)).drain(1))


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_the_sdk_exporter_is_understood(compression: grpc.Compression) -> None:
    consumer = RecordingIntake()

    async def speak(talk: Talk) -> SpanExportResult:
        return await asyncio.to_thread(exported, talk.port)

    def exported(port: int) -> SpanExportResult:
        exporter = OTLPSpanExporter(f"127.0.0.1:{port}", insecure=True, compression=compression)
        try:
            return exporter.export(end_span())
        finally:
            exporter.shutdown()

    assert exchange(consumer, speak) is SpanExportResult.SUCCESS
    request = ExportTraceServiceRequest.FromString(consumer.seen[0][1])
    assert [span.name for span in request.resource_spans[0].scope_spans[0].spans] == ["search"]
