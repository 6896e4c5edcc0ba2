"""HTTP listeners on the program's own event loop, and the routes that say how it is."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator, Sequence

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from tracegrade.queries.http.access import check_host, refusing
from tracegrade.queries.http.hosts import AllowedHosts
from tracegrade.queries.machine import without_folders

from ..ingest.queue import IngestQueue
from ..receiver import grpc_at_http
from ..receiver.address import ensure_free
from ..receiver.framing import Framed
from ..receiver.grpc_at_http import Endpoints
from .exposition import Figures

__all__ = ["Listener", "health_routes", "own_routes"]

_STOP_S = 10
_LEAST_BACKLOG, _BACKLOG = 4, 100
"""How many connections wait to be taken: asyncio takes all of them before it looks at any."""

_LANDING = """Tracegrade is running.

POST /api/v1/sql                     {"sql": "select evaluator, value, passed from latest_scores"}
POST /api/v1/explain                 {"id": "…"}: why a run has its scores, or has none
POST /api/v1/annotations             {"target": {"trace_id": "…"}, "name": "polite", "value": 1, "author": "you"}
POST /api/v1/backfill                {"since": "2026-01-01T00:00:00Z"}: scores on the past
POST /api/v1/evaluators/NAME/pause   or …/resume
POST /api/v1/reload                  reads the configuration again
POST /api/v1/snapshot                {}: the store as a DuckDB file, as it is now
GET  /metrics                        figures about the server itself
GET  /healthz                        the process lives
GET  /readyz                         it can take and store spans
"""


class Listener:
    """A uvicorn server beside others on one loop: it leaves the signals to the program."""

    def __init__(self, server: uvicorn.Server, serving: asyncio.Task[None], address: str) -> None:
        self._server = server
        self._serving = serving
        self.address = address

    @classmethod
    async def start(
        cls, address: str, routes: Sequence[BaseRoute], *, option: str, endpoints: Endpoints, connections: int
    ) -> Listener:
        """Listens on "HOST:PORT", for so many connections at the same time; port 0 takes a free one. gRPC is told the
        `endpoints`. Raises CannotListen, which names `option`."""
        ensure_free(address, option=option)
        host, _, port = address.rpartition(":")
        bound = _bound(host.strip("[]"), int(port))
        config = uvicorn.Config(
            Framed(Starlette(routes=list(routes))),
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
        """Takes no new connection, answers what is under way."""
        self._server.should_exit = True
        await self._serving


def _bound(host: str, port: int) -> socket.socket:
    # asyncio sends small answers at once (TCP_NODELAY) only on sockets that name their protocol.
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((host, port))
    bound.listen()
    return bound


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def health_routes(queue: IngestQueue) -> list[Route]:
    """`/healthz`: the process is alive. `/readyz`: the writer lives and the queue has room."""

    async def healthz(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def readyz(_: Request) -> Response:
        if (trouble := queue.trouble) is None:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "reason": without_folders(trouble)}, status_code=503)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]


def own_routes(figures: Figures, hosts: AllowedHosts) -> list[Route]:
    """What a person or Prometheus finds at the address of the pages, calling it by one of its names."""

    @refusing
    async def landing(request: Request) -> Response:
        check_host(request, hosts)
        return PlainTextResponse(_LANDING)

    @refusing
    async def metrics(request: Request) -> Response:
        check_host(request, hosts)
        return Response(await figures.exposition(), media_type="text/plain; version=0.0.4")

    return [Route("/", landing), Route("/metrics", metrics)]
