"""HTTP listeners, and an event loop for those that must not delay the others."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections import deque
from collections.abc import Collection, Coroutine, Hashable, Iterator, Sequence
from typing import Any, Final, TypeVar

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from tracegrade.queries.http.pace import SLOW_READER
from tracegrade.queries.http.refusal import IS_CROWDED, REASON

from ..metrics import counters
from ..receiver import grpc_at_http
from ..receiver.address import ensure_free
from ..receiver.framing import Framed
from ..receiver.grpc_at_http import Endpoints
from ..receiver.http_connection import Connection
from ..system.log import log
from .health import HEALTH

__all__ = ["Listener", "LoopThread"]

T = TypeVar("T")

_ANSWERING: Final = 0.75
"""The share of the connections of a port that may wait for an answer at the same time. The others are stalled, so that
one of them can be closed for a new one; on that, a probe is answered."""

_PROBES: Final = frozenset(probe.path for probe in HEALTH)
"""What is answered before all that waits."""

_COUNT_EVERY_S: Final = 0.1
"""How often it is counted anew who waits: not for each request, which takes the longer the more there are."""

_STOP_S = 10
_LEAST_BACKLOG, _BACKLOG = 4, 100
"""The bounds of how many connections may wait to be accepted: asyncio accepts all of them before it serves any."""


class LoopThread:
    """An event loop in a thread of its own: what runs there does not delay the loop of the receivers, except for the
    moments in which it has the lock of the interpreter."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the loop, and return its result to the loop of the caller."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def close(self) -> None:
        """Cancel what still runs, and wait for the end of the thread."""
        self._loop.call_soon_threadsafe(self._end.set)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._end.wait())


class Listener:
    """A uvicorn server that shares the event loop with others and leaves signals to the program."""

    def __init__(self, server: uvicorn.Server, serving: asyncio.Task[None], address: str) -> None:
        self._server = server
        self._serving = serving
        self.address = address

    @classmethod
    async def start(
        cls,
        address: str,
        app: ASGIApp,
        *,
        option: str,
        endpoints: Endpoints,
        connections: int,
        trusted_proxies: Sequence[str] = (),
    ) -> Listener:
        """Listen on "HOST:PORT" for at most `connections` connections; port 0 takes a free one.

        From `trusted_proxies` (addresses or networks) it is believed who the client is, and whether it uses TLS.
        gRPC clients are referred to `endpoints`. Raises CannotListen, which names `option`.
        """
        ensure_free(address, option=option)
        host, _, port = address.rpartition(":")
        bound = _bind_socket(host.strip("[]"), int(port))
        crowd = _Crowd(app, connections)
        config = uvicorn.Config(
            Framed(crowd),
            http=grpc_at_http.protocol(endpoints, connections=connections),
            lifespan="off",
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=list(trusted_proxies),
            log_level="error",
            access_log=False,
            backlog=max(_LEAST_BACKLOG, min(connections // 4, _BACKLOG)),
            timeout_graceful_shutdown=_STOP_S,
        )
        server = _Server(config)
        crowd.connections = server.server_state.connections
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


class _Crowd:
    """Tells the application when nearly all connections of the port wait for an answer, and counts what it refuses."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._most = int(limit * _ANSWERING)
        self._counted_at, self._was_full = -_COUNT_EVERY_S, False
        self.connections: Collection[Any] = ()
        self._turns = _Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.setdefault("state", {})
        state[IS_CROWDED] = self._is_full()
        if scope["path"] not in _PROBES:
            await self._turns.wait(_kind_of(scope))
        try:
            await self._app(scope, receive, send)
        finally:
            if (reason := state.get(REASON)) is not None:
                counters.refused_answers.labels(reason=reason).inc()
            if reason == SLOW_READER:
                log.warning("an answer was cut off, since its client read it too slowly", path=scope["path"])

    def _is_full(self) -> bool:
        """Return whether, with the present one, too many connections wait for an answer."""
        if len(self.connections) <= self._most:
            return False
        now = asyncio.get_running_loop().time()
        if now - self._counted_at > _COUNT_EVERY_S:
            waited_for = sum(isinstance(each, Connection) and each.is_waited_for for each in self.connections)
            self._counted_at, self._was_full = now, waited_for > self._most
        return self._was_full


class _Turns:
    """Lets requests begin one after another, each in a round of the event loop of its own: else a probe waits for all
    that came at the same time. Those of a kind wait for each other, and every kind has a turn after the other."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        """The requests by kind, the kind first that is next."""

    async def wait(self, kind: Hashable) -> None:
        """Return when it is the turn of the caller."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._call_next, loop)
        self._waiting.setdefault(kind, deque()).append(turn)
        await turn

    def _call_next(self, loop: asyncio.AbstractEventLoop) -> None:
        kind = next(iter(self._waiting))
        turns = self._waiting.pop(kind)
        turn = turns.popleft()
        if turns:
            self._waiting[kind] = turns  # behind all others
        if not turn.done():
            turn.set_result(None)
        if self._waiting:
            loop.call_soon(self._call_next, loop)


def _kind_of(scope: Scope) -> Hashable:
    """Return what requests have in common that wait for each other: the client, its login, the method, and the page or
    endpoint."""
    first, *others = scope["path"].split("/")[1:]
    cookie = next((value for name, value in scope["headers"] if name == b"cookie"), b"")
    client = (scope.get("client") or ("",))[0]
    return client, cookie, scope.get("method"), first, *(others[:2] if first == "api" else ())


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
