"""OTLP over gRPC: the three Export methods, health checks and reflection.

Bodies stay bytes, for the consumer to decode. gRPC unpacks gzip itself and stops at the message limit, since
grpcio 1.84; older ones unpack a bomb to its end before they refuse it. Its own refusal is RESOURCE_EXHAUSTED, upon
which some exporters send the same again, and names no remedy: so it reads further than our limit, and we refuse.
https://opentelemetry.io/docs/specs/otlp/#otlpgrpc
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from ..errors import CollectorError, Draining
from ..otlp.limits import RequestLimits
from ..otlp.services import SERVICES
from ..otlp.signal import Signal
from . import Consumer
from .address import CannotListen, ensure_free
from .status import answer, only_collector_errors, status

__all__ = ["GrpcReceiver"]

_Context: TypeAlias = grpc.aio.ServicerContext[bytes, bytes]
_Export: TypeAlias = Callable[[bytes, _Context], Awaitable[bytes]]

_MAX_CONCURRENT_STREAMS: Final = 100  # on one connection
_LAST_S: Final = 1.0
_READ_BEYOND: Final = 2  # times our limit; what is larger still is left to gRPC
_CONNECTIONS: Final = 1_000
_PATIENCE: Final = (
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.max_connection_idle_ms", 30_000),
    ("grpc.max_connection_age_ms", 600_000),  # which ends requests that never come to their end, too
    ("grpc.max_connection_age_grace_ms", 60_000),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 20_000),
)
"""For how long a connection may stall. Clients connect again by themselves."""

_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class GrpcReceiver:
    """Hands every export to the consumer and acknowledges it once `accept` has returned."""

    def __init__(self, consumer: Consumer, *, limits: RequestLimits, connections: int = _CONNECTIONS) -> None:
        self._consumer = consumer
        self._connections = connections
        self._limits = limits
        self._health = health.aio.HealthServicer()  # type: ignore[attr-defined]  # public, but not exported by name
        self._server: grpc.aio.Server | None = None
        self._running: set[asyncio.Task[object]] = set()
        self._draining = False

    async def start(self, address: str, *, option: str = "--grpc") -> int:
        """Listen on "HOST:PORT" and give the port; port 0 takes a free one.

        Raises CannotListen; `option` is what its message tells a person to change.
        """
        ensure_free(address, option=option)
        server = self._make_server()
        try:
            port = server.add_insecure_port(address)
        except RuntimeError as error:
            await server.stop(grace=None)
            raise CannotListen(f"cannot listen on {address}: {error}; choose another with {option}") from error
        await server.start()
        self._server = server
        return port

    async def drain(self, grace_s: float) -> None:
        """Stop: health turns NOT_SERVING, new exports are refused as retryable, running ones get `grace_s` to end."""
        if self._server is None:
            return
        self._draining = True
        await self._health.enter_graceful_shutdown()
        if self._running:
            await asyncio.wait(self._running, timeout=grace_s)
        await self._server.stop(grace=_LAST_S)  # for calls that have just come, whose answer is on its way

    def _make_server(self) -> grpc.aio.Server:
        server = grpc.aio.server(
            options=[
                ("grpc.max_receive_message_length", _READ_BEYOND * self._limits.body_bytes),
                ("grpc.max_concurrent_streams", _MAX_CONCURRENT_STREAMS),
                ("grpc.max_allowed_incoming_connections", self._connections),
                *_PATIENCE,
                ("grpc.so_reuseport", 0),  # a second server on the port fails, instead of taking half of the spans
            ]
        )
        server.add_generic_rpc_handlers([self._make_handler(signal) for signal in Signal])
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)  # type: ignore[no-untyped-call]  # generated
        names = [service.name for service in SERVICES.values()]
        reflection.enable_server_reflection([*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
        return server

    def _make_handler(self, signal: Signal) -> grpc.GenericRpcHandler[bytes, bytes]:
        export: _Export = partial(self._export, signal)
        method = grpc.unary_unary_rpc_method_handler(export)
        return grpc.method_handlers_generic_handler(SERVICES[signal].name, {"Export": method})

    async def _export(self, signal: Signal, body: bytes, context: _Context) -> bytes:
        try:
            with only_collector_errors():
                return await self._accept(signal, body)
        except CollectorError as error:
            refusal = status(error)
        details = ("grpc-status-details-bin", refusal.SerializeToString())
        return await context.abort(_CODES[refusal.code], refusal.message, (details,))

    async def _accept(self, signal: Signal, body: bytes) -> bytes:
        if self._draining:
            raise Draining("the server is stopping: send the export again")
        if task := asyncio.current_task():
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        self._limits.check_body(len(body))
        with self._consumer.reserve(len(body)):
            return answer(signal, await self._consumer.accept(signal, body)).SerializeToString()
