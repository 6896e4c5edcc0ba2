"""Receives the spans of one program over OTLP/HTTP, on a port of its own, and assembles its runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

from tracegrade.evaluators.model import AgentTrace

from ..capture.assembly import assemble_exported_runs
from ..otlp.limits import RequestLimits
from ..otlp.signal import Signal
from ..receiver import ExportOutcome
from ..receiver.grpc_at_http import Endpoints
from ..receiver.http import routes
from ..web.listeners import Listener

__all__ = ["SpanReceiver", "receiving"]

_ANY_PORT: Final = "127.0.0.1:0"
_CONNECTIONS: Final = 32


class SpanReceiver:
    """The `Consumer` that keeps export requests in memory. `url` is where they are sent."""

    def __init__(self) -> None:
        self.url = ""
        self._bodies: dict[Signal, list[bytes]] = {signal: [] for signal in Signal}

    @contextmanager
    def reserve(self, size_bytes: int) -> Iterator[SpanReceiver]:  # noqa: ARG002 - one program may fill the memory
        yield self

    def grow(self, size_bytes: int) -> None:
        """Reserve nothing."""

    async def accept(self, signal: Signal, body: bytes) -> ExportOutcome:
        self._bodies[signal].append(body)
        return ExportOutcome(accepted=1)

    @property
    def runs(self) -> list[AgentTrace]:
        """The runs that were received so far. Raises CollectorError if a request cannot be read."""
        return assemble_exported_runs(self._bodies[Signal.TRACES], self._bodies[Signal.LOGS])


@asynccontextmanager
async def receiving() -> AsyncIterator[SpanReceiver]:
    """Listen on a free port of this machine, and yield what is received there."""
    receiver = SpanReceiver()
    limits = RequestLimits()
    nowhere = Endpoints(grpc="nowhere", http="the address in OTEL_EXPORTER_OTLP_ENDPOINT")
    listener = await Listener.start(
        _ANY_PORT, routes(receiver, limits=limits), option="", endpoints=nowhere, connections=_CONNECTIONS
    )
    receiver.url = f"http://{listener.address}"
    try:
        yield receiver
    finally:
        await listener.stop()
