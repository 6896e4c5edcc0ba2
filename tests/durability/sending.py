"""Agents that send as the OTLP specification demands: what is not acknowledged is sent again, for as long as it takes.

https://opentelemetry.io/docs/specs/otlp/#failures: over HTTP 429, 502, 503 and 504 and a broken connection, over gRPC
the codes of `_RETRYABLE`, mean that a client may try again; anything else that it must not.
"""

from __future__ import annotations

import gzip
import random
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import grpc
import httpx
import orjson
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from tests.support import sdk
from tests.support.records import REQUESTS, Record, as_json, body_of, span_records
from tests.support.server import Ports

from tracegrade.collector.otlp.signal import Signal

__all__ = ["PROTOCOLS", "Agents", "Batch", "Protocol", "Refused", "batches_of"]

Protocol: TypeAlias = Literal["grpc", "http", "http gzip", "http json"]
PROTOCOLS: Final[Sequence[Protocol]] = ("grpc", "http", "http gzip", "http json")

_SERVICES: Final = {
    Signal.TRACES: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    Signal.LOGS: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
}
_RETRYABLE: Final = {
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DATA_LOSS,
}
_RETRYABLE_STATUS: Final = {429, 502, 503, 504}
_AT_ONCE_BACK: Final = (("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 300))
_TIMEOUT_S: Final = 30.0


class Refused(Exception):
    """The server said that this must not be sent again, so it would be lost."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Records of one signal in one request."""

    protocol: Protocol
    records: Sequence[Record]

    @property
    def signal(self) -> Signal:
        return self.records[0].signal


def batches_of(records: Iterable[Record], chance: random.Random, *, most: int = 12) -> Iterator[Batch]:
    """The records in their order, in requests of 1 to `most` by any protocol; a request has one signal."""
    batch: list[Record] = []
    room = chance.randint(1, most)
    for record in records:
        if batch and (len(batch) >= room or record.signal is not batch[0].signal):
            yield Batch(chance.choice(PROTOCOLS), batch)
            batch, room = [], chance.randint(1, most)
        batch.append(record)
    if batch:
        yield Batch(chance.choice(PROTOCOLS), batch)


class _Sender:
    """One connection of each kind."""

    def __init__(self, ports: Ports) -> None:
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{ports.http}", trust_env=False, timeout=_TIMEOUT_S)
        self._channel = grpc.insecure_channel(f"127.0.0.1:{ports.grpc}", options=_AT_ONCE_BACK)

    def close(self) -> None:
        self._http.close()
        self._channel.close()

    def is_taken(self, batch: Batch) -> bool:
        """Whether it was acknowledged; otherwise it is to be sent again. Raises Refused."""
        return self._over_grpc(batch) if batch.protocol == "grpc" else self._over_http(batch)

    def _over_grpc(self, batch: Batch) -> bool:
        export = self._channel.unary_unary(_SERVICES[batch.signal], bytes, bytes)
        try:
            answer = export(body_of(batch.records), timeout=_TIMEOUT_S)
        except grpc.RpcError as error:
            if error.code() in _RETRYABLE:
                return False
            raise Refused(f"gRPC {error.code().name}: {error.details()}") from error
        _refuse_partial(_rejected(answer), batch)
        return True

    def _over_http(self, batch: Batch) -> bool:
        body, headers = body_of(batch.records), {"content-type": "application/x-protobuf"}
        if batch.protocol == "http json":
            body, headers = as_json(REQUESTS[batch.signal].FromString(body)), {"content-type": "application/json"}
        if batch.protocol == "http gzip":
            body, headers = gzip.compress(body), {**headers, "content-encoding": "gzip"}
        try:
            answer = self._http.post(f"/v1/{batch.signal}", content=body, headers=headers)
        except httpx.TransportError:
            return False
        if answer.status_code in _RETRYABLE_STATUS:
            return False
        if answer.status_code != 200:
            raise Refused(f"HTTP {answer.status_code}: {answer.text[:500]}")
        is_json = batch.protocol == "http json"
        _refuse_partial(_rejected_json(answer.content) if is_json else _rejected(answer.content), batch)
        return True


def _rejected(answer: bytes) -> int:
    """Both signals answer in the same form."""
    return int(ExportTraceServiceResponse.FromString(answer).partial_success.rejected_spans)


def _rejected_json(answer: bytes) -> int:
    partial = orjson.loads(answer or b"{}").get("partialSuccess", {})
    return int(partial.get("rejectedSpans", 0) or partial.get("rejectedLogRecords", 0))


def _refuse_partial(rejected: int, batch: Batch) -> None:
    if rejected:
        raise Refused(f"{rejected} of {len(batch.records)} records were rejected")


@dataclass
class Agents:
    """Threads that send batches, and beside them two agents with the exporters of the OpenTelemetry SDK.

    `acknowledged` has every record in the order of its first acknowledgement, and `refusals` what was lost for good.
    `pause_s`: how long a thread waits between two batches, on average. `again`: the share of acknowledged batches that
    are sent once more, as if their acknowledgement had been lost on its way.
    """

    ports: Ports
    batches: Iterator[Batch]
    chance: random.Random
    threads: int = 3
    pause_s: float = 0.0
    again: float = 0.0
    sdk_runs: int = 0
    acknowledged: list[Record] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._at_work: list[threading.Thread] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """All of them, until the context is left; what is unanswered then stays so."""
        seeds = [self.chance.getrandbits(32) for _ in range(self.threads)]
        work = [threading.Thread(target=self._send, args=[random.Random(seed)]) for seed in seeds]
        work += [threading.Thread(target=self._run, args=[one]) for one in self._exporters()] if self.sdk_runs else []
        self._at_work = work
        for thread in work:
            thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            for thread in work:
                thread.join()

    def wait(self, within_s: float) -> bool:
        """Whether everything was acknowledged in that time."""
        ends_at = time.monotonic() + within_s
        for thread in self._at_work:
            thread.join(max(0.0, ends_at - time.monotonic()))
        return not any(thread.is_alive() for thread in self._at_work)

    def known(self) -> Sequence[Record]:
        """What was acknowledged up to now."""
        with self._lock:
            return tuple(self.acknowledged)

    def _send(self, chance: random.Random) -> None:
        sender = _Sender(self.ports)
        try:
            while not self._stopped.is_set() and (batch := self._next()) is not None:
                self._until_taken(sender, batch, chance)
                if chance.random() < self.again:
                    self._until_taken(sender, Batch(chance.choice(PROTOCOLS), batch.records), chance)
                self._stopped.wait(chance.uniform(0, 2 * self.pause_s))
        finally:
            sender.close()

    def _next(self) -> Batch | None:
        with self._lock:
            return next(self.batches, None)

    def _until_taken(self, sender: _Sender, batch: Batch, chance: random.Random) -> None:
        while not self._stopped.is_set():
            try:
                if sender.is_taken(batch):
                    self._note(batch.records)
                    return
            except Refused as refused:
                with self._lock:
                    self.refusals.append(f"{batch.protocol}: {refused}")
                return
            self._stopped.wait(chance.uniform(0.02, 0.2))

    def _note(self, records: Iterable[Record]) -> None:
        with self._lock:
            self.acknowledged += records

    def _exporters(self) -> Iterator[SpanExporter]:
        yield GrpcExporter(f"http://127.0.0.1:{self.ports.grpc}", insecure=True, timeout=2)
        yield HttpExporter(f"http://127.0.0.1:{self.ports.http}/v1/traces", timeout=2)

    def _run(self, exporter: SpanExporter) -> None:
        for _ in range(self.sdk_runs):
            if self._stopped.is_set():
                break
            sdk.run_agent(_Acknowledged(exporter, self))
            self._stopped.wait(self.pause_s)
        exporter.shutdown()


class _Acknowledged(SpanExporter):
    """Gives spans to a real exporter until it says that it succeeded."""

    def __init__(self, exporter: SpanExporter, agents: Agents) -> None:
        self._exporter = exporter
        self._agents = agents

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        while not self._agents._stopped.is_set():
            if self._exporter.export(spans) is SpanExportResult.SUCCESS:
                self._agents._note(span_records(encode_spans(spans).SerializeToString()))
                return SpanExportResult.SUCCESS
        return SpanExportResult.FAILURE

    def shutdown(self) -> None:
        """The exporter serves the next run, too."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return True
