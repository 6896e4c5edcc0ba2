"""The composition root: builds everything from the settings, starts it, and drains it in the right order."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial

import structlog

from tracegrade.queries import api

from . import server_file
from .figures import Figures
from .lane import Lane
from .pipeline import Pipeline
from .receiver import http as otlp_http
from .receiver.grpc import GrpcReceiver
from .settings import Settings
from .web import Listener, health_routes, own_routes

__all__ = ["Addresses", "serving", "version"]

_DRAIN_S = 10.0
_PATIENCE_S = 5.0
_BREATH_S = 0.05
_OUTBOX_RETRY_S = 5.0

log = structlog.get_logger()


def version() -> str:
    """The version of this installation."""
    return importlib.metadata.version("tracegrade")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the server listens, with the ports it really got."""

    grpc: str
    http: str
    web: str


@contextlib.asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Addresses]:
    """A server, until the context is left; then it refuses what is new, commits what it has, and closes.

    Raises StoreUnavailable, CannotListen or BadConfiguration before anything is served.
    """
    async with contextlib.AsyncExitStack() as stack:
        pipeline = Pipeline(settings)
        stack.push_async_callback(pipeline.close)
        pipeline.start()
        await stack.enter_async_context(_at_work(pipeline, settings))
        addresses = await _listening(pipeline, settings, stack)
        path = pipeline.database.path
        server_file.leave(path, url=f"http://{addresses.web}", otlp_url=f"http://{addresses.http}", version=version())
        stack.callback(server_file.forget, path)
        yield addresses


async def _listening(pipeline: Pipeline, settings: Settings, stack: contextlib.AsyncExitStack) -> Addresses:
    limit, health = settings.intake.max_request_bytes, health_routes(pipeline.intake)
    web_routes = [
        *own_routes(Figures(pipeline, lambda: pipeline.evaluators)),
        *health,
        *api.routes(
            pipeline,
            token=settings.token.get_secret_value() if settings.token else None,
            allowed_hosts=api.host_names(settings.listen.web),
            commands=pipeline.commands,
        ),
    ]
    web = await Listener.start(settings.listen.web, web_routes, option="--web")
    stack.push_async_callback(web.stop)
    otlp_routes = [*otlp_http.routes(pipeline.intake, max_request_bytes=limit), *health]
    http = await Listener.start(settings.listen.http, otlp_routes, option="--http")
    stack.push_async_callback(http.stop)
    grpc = GrpcReceiver(pipeline.intake, max_request_bytes=limit)
    grpc_port = await grpc.start(settings.listen.grpc, option="--grpc")
    stack.push_async_callback(grpc.drain, _DRAIN_S)
    host = settings.listen.grpc.rpartition(":")[0]
    return Addresses(f"{host}:{grpc_port}", http.address, web.address)


@contextlib.asynccontextmanager
async def _at_work(pipeline: Pipeline, settings: Settings) -> AsyncIterator[None]:
    """Assembly, passes and outbox, side by side. They end between two jobs; a job that lasts is cut off."""
    work = _Work(pipeline, settings)
    judging = [work.judge(lane) for lane in pipeline.lanes]
    tasks = [asyncio.create_task(one) for one in (work.assemble(), *judging, work.send())]
    try:
        yield
    finally:
        work.stop()
        _, late = await asyncio.wait(tasks, timeout=_PATIENCE_S)
        if late:
            for workbench in pipeline.workbenches:
                workbench.kill()
            await asyncio.wait(late)


class _Work:
    """Loops that wake each other: arrivals wake assembly, assembly wakes the passes, a pass wakes the outbox."""

    def __init__(self, pipeline: Pipeline, settings: Settings) -> None:
        self._pipeline = pipeline
        self._every_s = settings.pass_.every.total_seconds()
        self._outbox = pipeline.outbox(settings, version())
        self._stopping = asyncio.Event()
        self._arrived, self._judged = asyncio.Event(), asyncio.Event()
        self._assembled = {id(lane): asyncio.Event() for lane in pipeline.lanes}
        for lane in pipeline.lanes:
            lane.wake = partial(asyncio.get_running_loop().call_soon_threadsafe, self._assembled[id(lane)].set)
        for event in (*self._assembled.values(), self._judged):
            event.set()
        pipeline.on_arrival = self._arrived.set
        pipeline.commands.on_verdict = partial(asyncio.get_running_loop().call_soon_threadsafe, self._judged.set)

    def stop(self) -> None:
        self._stopping.set()
        if self._outbox is not None:
            self._outbox.close()
        for event in (self._arrived, *self._assembled.values(), self._judged):
            event.set()

    async def assemble(self) -> None:
        while not self._stopping.is_set():
            await _woken(self._arrived, self._pipeline.assembler.next_due_in_s())
            with _logged("assembly"):
                if await self._pipeline.assemble():
                    for event in self._assembled.values():
                        event.set()
            await self._pause(_BREATH_S)

    async def judge(self, lane: Lane) -> None:
        while not self._stopping.is_set():
            await _woken(self._assembled[id(lane)], await asyncio.to_thread(lane.next_in_s))
            with _logged("evaluator pass"):
                while not self._stopping.is_set() and (summary := await asyncio.to_thread(lane.evaluate)).targets:
                    self._judged.set()
                    if not summary.is_full:
                        break
            await self._pause(self._every_s)

    async def send(self) -> None:
        while self._outbox is not None and not self._stopping.is_set():
            await _woken(self._judged, None)
            with _logged("outbox"):
                if not await asyncio.to_thread(self._outbox.flush):
                    self._judged.set()
                    await self._pause(_OUTBOX_RETRY_S)

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)


async def _woken(event: asyncio.Event, timeout_s: float | None) -> None:
    """Returns when `event` is set, which it takes back, or after `timeout_s`."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), timeout_s)
    event.clear()


@contextlib.contextmanager
def _logged(what: str) -> Iterator[None]:
    """A loop outlives what goes wrong in one round of it; nothing is lost, for all state is in the store."""
    try:
        yield
    except Exception as error:
        log.exception("a round failed and is tried again", what=what, error=str(error))
