"""The composition root: builds everything from the settings, starts it, and drains it in the right order."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import structlog

from tracegrade.queries.http import sql as api
from tracegrade.queries.http.hosts import AllowedHosts

from ..client import discovery
from ..config.api_token import open_to_others
from ..config.settings import Settings
from ..evaluation.lane import Lane
from ..evaluation.lanes import Staff
from ..receiver import http as otlp_http
from ..receiver.address import on_this_machine
from ..receiver.grpc import GrpcReceiver
from ..receiver.grpc_at_http import Endpoints
from ..store.engines.readers import InProcess
from ..store.errors import StoreUnavailable
from ..store.ledger.sql_evaluators import CutOff
from ..system.descriptors import connections_of_a_port
from ..version import version
from ..web.exposition import Figures
from ..web.listeners import Listener, health_routes, own_routes
from ..worker.process import WorkbenchClosed
from .explainer import Accounts
from .pipeline import Pipeline
from .reload import Reload, reloading

__all__ = ["Addresses", "serving"]

_DRAIN_S = 10.0
_PATIENCE_S = 5.0
_UNDER_WAY_S = 25.0
"""How much longer a reload waits for judges' answers that are under way, for they have been paid for."""
_BREATH_S = 0.05
_RETRY_S = 5.0

if TYPE_CHECKING:
    from ..export.outbox import Outbox

T = TypeVar("T")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the server listens, with the ports it really got."""

    grpc: str
    http: str
    web: str


@contextlib.asynccontextmanager
async def serving(
    settings: Settings,
    reread: Callable[[], Settings] | None = None,
    *,
    on_lost: Callable[[StoreUnavailable], object] = lambda _: None,
) -> AsyncIterator[Addresses]:
    """A server, until the context is left; then it refuses what is new, commits what it has, and closes.

    On SIGHUP, and when it is told over its API, it goes on with the settings that `reread` gives. Raises
    StoreUnavailable, CannotListen or BadConfiguration before anything is served. Calls `on_lost` when the store cannot
    be used any more: the context has to be left then.
    """
    async with contextlib.AsyncExitStack() as stack:
        pipeline = await asyncio.to_thread(Pipeline, settings)  # which takes as long as there is to read in the log
        loop = asyncio.get_running_loop()
        pipeline.caretaker.on_lost = lambda lost: loop.call_soon_threadsafe(on_lost, lost)
        stack.push_async_callback(pipeline.close)
        pipeline.start()
        work = await stack.enter_async_context(_at_work(pipeline, settings))
        hosts = _Hosts.of(settings)

        async def change(now: Settings) -> None:
            await work.reload(now)
            hosts.change(now.listen.allowed_hosts)

        if reread is not None:
            stack.enter_context(reloading(pipeline.commands, Reload(settings, reread, change)))
        addresses = await _listening(pipeline, settings, hosts, stack)
        discovery.leave_note(
            settings.store,
            url=f"http://{on_this_machine(addresses.web)}",
            otlp_url=f"http://{on_this_machine(addresses.http)}",
            otlp_grpc=on_this_machine(addresses.grpc),
            version=version(),
            open_at=addresses.web if open_to_others(addresses.web, settings.token) else None,
        )
        stack.callback(discovery.remove_note, settings.store)
        yield addresses


@dataclass(frozen=True, slots=True)
class _Hosts:
    """By which names the server is called: its API, and its receiver of OTLP over HTTP."""

    web: AllowedHosts
    http: AllowedHosts

    @classmethod
    def of(cls, settings: Settings) -> _Hosts:
        listen = settings.listen
        return cls(AllowedHosts(listen.web, listen.allowed_hosts), AllowedHosts(listen.http, listen.allowed_hosts))

    def change(self, entries: Sequence[str]) -> None:
        for hosts in (self.web, self.http):
            hosts.change(entries)


async def _listening(
    pipeline: Pipeline, settings: Settings, hosts: _Hosts, stack: contextlib.AsyncExitStack
) -> Addresses:
    limits, health = settings.ingest.limits, health_routes(pipeline.queue)
    web_routes = [
        *own_routes(Figures(InProcess(pipeline.database.connect), lambda: pipeline.evaluators), hosts.web),
        *health,
        *api.routes(
            pipeline,
            token=settings.token.get_secret_value() if settings.token else None,
            allowed_hosts=hosts.web,
            commands=pipeline.commands,
            explain=Accounts(pipeline, lambda: pipeline.staff).of,
        ),
    ]
    endpoints = Endpoints(settings.listen.grpc, settings.listen.http)
    most = connections_of_a_port()
    stops: list[Callable[[], Awaitable[object]]] = []
    stack.push_async_callback(_stopped, stops, pipeline)
    web = await Listener.start(settings.listen.web, web_routes, option="--web", endpoints=endpoints, connections=most)
    stops.append(web.stop)
    otlp_routes = [*otlp_http.routes(pipeline.queue, limits=limits, hosts=hosts.http), *health]
    http = await Listener.start(
        settings.listen.http, otlp_routes, option="--http", endpoints=endpoints, connections=most
    )
    stops.append(http.stop)
    grpc = GrpcReceiver(pipeline.queue, limits=limits, connections=most)
    grpc_port = await grpc.start(settings.listen.grpc, option="--grpc")
    stops.append(partial(grpc.drain, _DRAIN_S))
    host = settings.listen.grpc.rpartition(":")[0]
    endpoints.grpc, endpoints.http = f"{host}:{grpc_port}", http.address
    return Addresses(endpoints.grpc, endpoints.http, web.address)


async def _stopped(stops: list[Callable[[], Awaitable[object]]], pipeline: Pipeline) -> None:
    """Side by side, for each lets what is under way end. A query that lasts is broken off."""
    tasks = [asyncio.ensure_future(stop()) for stop in stops]
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=_PATIENCE_S)
    if late:
        pipeline.database.interrupt()
    await asyncio.gather(*tasks)


@contextlib.asynccontextmanager
async def _at_work(pipeline: Pipeline, settings: Settings) -> AsyncIterator[_Work]:
    """Assembly, passes and outbox, side by side. They end between two jobs; a job that lasts is cut off."""
    work = _Work(pipeline, settings)
    tasks = [asyncio.create_task(one) for one in (work.assemble(), work.send())]
    work.begin_judging()
    try:
        yield work
    finally:
        work.stop()
        await work.end_judging((_PATIENCE_S, pipeline.kill))
        _, late = await asyncio.wait(tasks, timeout=_PATIENCE_S)
        if late:
            pipeline.kill()
            await asyncio.wait(late)


class _Work:
    """Loops that wake each other: arrivals wake assembly, assembly wakes the passes, a pass wakes the outbox."""

    def __init__(self, pipeline: Pipeline, settings: Settings) -> None:
        self._pipeline = pipeline
        self._every_s = settings.evaluation.every.total_seconds()
        self._outbox = pipeline.outbox(settings, version())
        self._stopping = asyncio.Event()
        self._arrived, self._judged = asyncio.Event(), asyncio.Event()
        self._judging: _Judging | None = None
        self._judged.set()
        pipeline.on_arrival = self._arrived.set
        from_thread = asyncio.get_running_loop().call_soon_threadsafe
        pipeline.commands.on_score = partial(from_thread, self._judged.set)
        pipeline.commands.on_rebuild = partial(from_thread, self._arrived.set)

    def stop(self) -> None:
        self._stopping.set()
        if self._outbox is not None:
            self._outbox.close()
        for event in (self._arrived, self._judged):
            event.set()

    def begin_judging(self) -> None:
        """The passes of the staff that the pipeline has now."""
        self._judging = _Judging(self._pipeline.staff, every_s=self._every_s, on_scores=self._judged.set)

    async def end_judging(self, *cuts: tuple[float, Callable[[], None]]) -> None:
        """Returns when no pass is under way any more; each of `cuts` ends some that last for so many seconds more."""
        if self._judging is not None:
            await self._judging.end(*cuts)

    async def reload(self, settings: Settings) -> None:
        """Goes on with the evaluators of `settings`. Raises BadConfiguration, and goes on with those it has."""
        staff = await asyncio.to_thread(self._pipeline.staff_of, settings)
        is_needed = False
        try:
            await asyncio.to_thread(staff.enrol)  # what may fail comes first
            await asyncio.to_thread(self._pipeline.results.believe, settings.trust.annotators)
            is_needed = not self._stopping.is_set()
        finally:
            if not is_needed:
                await asyncio.to_thread(staff.close)
        if not is_needed:
            return
        former = self._pipeline.staff
        await self.end_judging((_PATIENCE_S, former.kill_checking), (_UNDER_WAY_S, former.kill))
        await self._pipeline.change_staff(staff)
        self._pipeline.workbench.change_prices(settings.prices)
        self._every_s = settings.evaluation.every.total_seconds()
        if not self._stopping.is_set():
            self.begin_judging()

    async def assemble(self) -> None:
        while not self._stopping.is_set():
            ended = await _ended("assembly", self._assembled())
            if not ended:
                self._arrived.set()
            await _pause(self._stopping, _BREATH_S if ended else _RETRY_S)

    async def send(self) -> None:
        while self._outbox is not None and not self._stopping.is_set():
            if not await _ended("outbox", self._sent(self._outbox)):
                self._judged.set()
                await _pause(self._stopping, _RETRY_S)

    async def _assembled(self) -> bool:
        """New spans go first: a rebuild that is under way gets on by one portion after them."""
        is_rebuilding = self._pipeline.stored_traces.is_rebuilding
        await _woken(self._arrived, 0.0 if is_rebuilding else self._pipeline.assembler.next_due_in_s())
        async for written in self._pipeline.assemble():
            self._wake_judges(written)
            if self._stopping.is_set():
                return True
        self._wake_judges(await self._pipeline.rebuild_some())
        return True

    def _wake_judges(self, written: int) -> None:
        """After so many revisions were written."""
        if written and self._judging is not None:
            self._judging.wake()

    async def _sent(self, outbox: Outbox) -> bool:
        await _woken(self._judged, None)
        return await asyncio.to_thread(outbox.flush)


class _Judging:
    """The passes of a staff, a loop and a thread a lane, so that one that blocks delays nobody else."""

    def __init__(self, staff: Staff, *, every_s: float, on_scores: Callable[[], object]) -> None:
        self._every_s = every_s
        self._on_scores = on_scores
        self._stopping = asyncio.Event()
        self._staff = staff
        self._threads = ThreadPoolExecutor(len(staff.lanes), thread_name_prefix="pass")
        self._wakers = [asyncio.Event() for _ in staff.lanes]
        for lane, waker in zip(staff.lanes, self._wakers, strict=True):
            lane.wake = partial(asyncio.get_running_loop().call_soon_threadsafe, waker.set)
        self.wake()
        self._tasks = [
            asyncio.create_task(self._judge(lane, waker)) for lane, waker in zip(staff.lanes, self._wakers, strict=True)
        ]

    def wake(self) -> None:
        """There may be something new."""
        for waker in self._wakers:
            waker.set()

    async def end(self, *cuts: tuple[float, Callable[[], None]]) -> None:
        """Ends each loop between two passes, and asks judges nothing more. A pass that lasts is cut off; what it was
        about stays due."""
        self._stopping.set()
        self._staff.finish()
        self.wake()
        late = set(self._tasks)
        for patience_s, cut in cuts:
            _, late = await asyncio.wait(late, timeout=patience_s)
            if not late:
                break
            cut()
        if late:
            await asyncio.wait(late)
        self._threads.shutdown()

    async def _judge(self, lane: Lane, waker: asyncio.Event) -> None:
        while not self._stopping.is_set():
            ended = await _ended("evaluator pass", self._judged(lane, waker))
            if not ended:
                waker.set()
            await _pause(self._stopping, self._every_s if ended else max(self._every_s, _RETRY_S))

    async def _judged(self, lane: Lane, waker: asyncio.Event) -> bool:
        """Whether all is judged that was due once the lane was woken."""
        await _woken(waker, await self._blocking(lane.next_in_s))
        while not self._stopping.is_set():
            summary = await self._blocking(lane.evaluate)
            if summary.targets:
                self._on_scores()
            if not summary.is_full:
                break
        return True

    async def _blocking(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


async def _pause(stopping: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), seconds)


async def _woken(event: asyncio.Event, timeout_s: float | None) -> None:
    """Returns when `event` is set, which it takes back, or after `timeout_s`."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), timeout_s)
    event.clear()


async def _ended(what: str, round_: Awaitable[bool]) -> bool:
    """What a round says; False when it went wrong. Nothing is lost by that, for all state is in the store."""
    try:
        return await round_
    except StoreUnavailable as error:
        log.warning("a round waits for the store", what=what, cause=str(error))
    except (WorkbenchClosed, CutOff) as cut_off:
        log.info("a round was cut off; what it was about stays due", what=what, by=str(cut_off))
    except Exception as error:
        log.exception("a round failed and is tried again", what=what, error=str(error))
    return False
