"""Receives the spans of programs over OTLP/HTTP, and assembles their runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final

from starlette.applications import Starlette

from tracegrade.evaluators.model import AgentTrace

from ..capture.assembly import assemble_exported_runs
from ..otlp.file import Part, trace_ids
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
        self._of_trace: dict[str, list[Part]] = {}
        self._arrival = asyncio.Event()

    @contextmanager
    def reserve(self, size_bytes: int) -> Iterator[SpanReceiver]:  # noqa: ARG002 - one program may fill the memory
        yield self

    def grow(self, size_bytes: int) -> None:
        """Reserve nothing."""

    async def accept(self, signal: Signal, body: bytes) -> ExportOutcome:
        self._bodies[signal].append(body)
        part = Part(signal, body)
        for trace_id in trace_ids(part):
            self._of_trace.setdefault(trace_id, []).append(part)
        self._arrival.set()
        return ExportOutcome(accepted=1)

    @property
    def runs(self) -> list[AgentTrace]:
        """The runs that were received so far. Raises CollectorError if a request cannot be read."""
        return assemble_exported_runs(self._bodies[Signal.TRACES], self._bodies[Signal.LOGS])

    def count(self, trace_id: str) -> int:
        """Return the number of requests with spans or log records of a trace, by its id in hex."""
        return len(self._of_trace.get(trace_id, ()))

    def runs_of(self, trace_id: str) -> list[AgentTrace]:
        """Return the runs of a trace that were received so far. Raises CollectorError as `runs` does."""
        parts = self._of_trace.get(trace_id, ())
        traces, logs = (
            [part.body for part in parts if part.signal is signal] for signal in (Signal.TRACES, Signal.LOGS)
        )
        return [run for run in assemble_exported_runs(traces, logs) if run.trace_id == trace_id]

    async def arrived(self, *, timeout_s: float) -> None:
        """Return when a request arrives, at the latest after the timeout."""
        self._arrival.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._arrival.wait(), timeout_s)


@asynccontextmanager
async def receiving(address: str = _ANY_PORT, *, option: str = "") -> AsyncIterator[SpanReceiver]:
    """Listen at `host:port`, by default on a free port of this machine, and yield what is received there.

    `option` is what the user set the address with. Raises CannotListen.
    """
    receiver = SpanReceiver()
    limits = RequestLimits()
    nowhere = Endpoints(grpc="nowhere", http="the address in OTEL_EXPORTER_OTLP_ENDPOINT")
    app = Starlette(routes=routes(receiver, limits=limits))
    listener = await Listener.start(address, app, option=option, endpoints=nowhere, connections=_CONNECTIONS)
    receiver.url = f"http://{listener.address}"
    try:
        yield receiver
    finally:
        await listener.stop()
