"""HTTP listeners on the event loop of the server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from ..receiver import grpc_at_http
from ..receiver.address import ensure_free
from ..receiver.framing import Framed
from ..receiver.grpc_at_http import Endpoints

__all__ = ["Listener"]

_STOP_S = 10
_LEAST_BACKLOG, _BACKLOG = 4, 100
"""The bounds of how many connections may wait to be accepted: asyncio accepts all of them before it serves any."""


class Listener:
    """A uvicorn server that shares the event loop with others and leaves signals to the program."""

    def __init__(self, server: uvicorn.Server, serving: asyncio.Task[None], address: str) -> None:
        self._server = server
        self._serving = serving
        self.address = address

    @classmethod
    async def start(
        cls, address: str, app: ASGIApp, *, option: str, endpoints: Endpoints, connections: int
    ) -> Listener:
        """Listen on "HOST:PORT" for at most `connections` connections; port 0 takes a free one.

        gRPC clients are referred to `endpoints`. Raises CannotListen, which names `option`.
        """
        ensure_free(address, option=option)
        host, _, port = address.rpartition(":")
        bound = _bind_socket(host.strip("[]"), int(port))
        config = uvicorn.Config(
            Framed(app),
            http=grpc_at_http.protocol(endpoints, connections=connections),
            lifespan="off",
            log_level="error",
            access_log=False,
            backlog=max(_LEAST_BACKLOG, min(connections // 4, _BACKLOG)),
            timeout_graceful_shutdown=_STOP_S,
        )
        server = _Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]), name=f"http {address}")
        while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.005)
        if serving.done():
            serving.result()
        return cls(server, serving, f"{host}:{bound.getsockname()[1]}")

    async def stop(self) -> None:
        """Stop accepting connections, and answer the requests that are running. Return when they are answered."""
        self._server.should_exit = True
        await self._serving


def _bind_socket(host: str, port: int) -> socket.socket:
    # asyncio sets TCP_NODELAY, without which small answers are delayed, only on sockets created with an explicit
    # protocol.
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((host, port))
    bound.listen()
    return bound


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
