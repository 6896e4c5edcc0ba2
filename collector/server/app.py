"""The composition root: builds all parts from the settings, starts them, and stops them in the right order."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from tracegrade.queries.http.access import AccessControl
from tracegrade.queries.http.api import Api, Listings
from tracegrade.queries.http.application import make_app
from tracegrade.queries.http.endpoint import make_routes
from tracegrade.queries.http.hosts import AllowedHosts
from tracegrade.queries.http.origins import AllowedOrigins
from tracegrade.queries.pages.assets import Assets
from tracegrade.queries.pages.other_sites import OtherSites
from tracegrade.queries.pages.rendering import Templates
from tracegrade.queries.pages.streams import Streams
from tracegrade.queries.ports import Remedy

from ..client import discovery
from ..config.api_token import explain_exposure
from ..config.budgets import explain_unbound_budgets
from ..config.settings import Listen, Settings
from ..receiver import http as otlp_http
from ..receiver.address import on_this_machine
from ..receiver.grpc import GrpcReceiver
from ..receiver.grpc_at_http import Endpoints
from ..reports.cookbook import open_library
from ..store.engines.readers import InProcess
from ..store.engines.selection import locate
from ..store.errors import StoreUnavailable
from ..system.descriptors import connections_per_port
from ..system.log import log
from ..version import version
from ..web.exposition import Exposition
from ..web.guard import Guard, WrongTokens
from ..web.health import HEALTH
from ..web.listeners import Listener, LoopThread
from ..web.logins import Logins
from ..web.pages import make_pages
from ..web.routes import make_web_routes
from .background import running_in_background
from .commands import StoreCommands
from .explainer import Explainer
from .pipeline import Pipeline
from .quack import listener_of
from .reload import Reload, reload_from_thread, reloading_on_signal
from .running_evaluators import list_running

__all__ = ["Addresses", "serving"]

_DRAIN_S = 10.0
_PATIENCE_S, _AGAIN_S = 5.0, 0.25
_STREAMS = 4
"""One in so many connections of the port of the pages may be a stream, which lasts as long as a page is open."""

_MOST_STREAMS = 100
"""The most streams in all: each of them works every second."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses that the server listens on, with the actual ports."""

    grpc: str
    http: str
    web: str
    quack: str | None = None


@contextlib.asynccontextmanager
async def serving(
    settings: Settings,
    reread: Callable[[], Settings] | None = None,
    *,
    on_lost: Callable[[StoreUnavailable], object] = lambda _: None,
) -> AsyncIterator[Addresses]:
    """Run a server until the context is left; then refuse new requests, commit the accepted ones, and close the store.

    On SIGHUP and on the reload command of the API, the server applies the settings that `reread` returns. Raises
    StoreUnavailable, CannotListen or BadConfiguration before anything is served. Calls `on_lost` if the store cannot be
    used any more: then the context has to be left.
    """
    async with contextlib.AsyncExitStack() as stack:
        loop = asyncio.get_running_loop()

        def report_loss(lost: StoreUnavailable) -> None:
            loop.call_soon_threadsafe(on_lost, lost)

        quack = listener_of(settings)
        # in a thread, since the time grows with the write-ahead log
        pipeline = await asyncio.to_thread(Pipeline, settings, quack=quack, on_lost=report_loss)
        stack.push_async_callback(pipeline.close)
        pipeline.start()
        background = await stack.enter_async_context(running_in_background(pipeline, settings))
        hosts = _Hosts.of(settings)

        async def change(now: Settings) -> None:
            await background.reload(now)
            hosts.change(now.listen)
            for line in await asyncio.to_thread(explain_unbound_budgets, now, pipeline.evaluators):
                log.warning("a budget does not bind", reason=line)

        commands = StoreCommands(pipeline)
        if reread is not None:
            reload = Reload(settings, reread, change)
            stack.enter_context(reloading_on_signal(reload))
            commands = StoreCommands(pipeline, reload=partial(reload_from_thread, reload, loop))
        addresses = await _listening(pipeline, commands, settings, hosts, stack)
        if quack is not None:
            await asyncio.to_thread(pipeline.database.answer_quack)
            addresses = replace(addresses, quack=quack.address)
        _leave_note(settings, addresses)
        stack.callback(discovery.remove_note, settings.store)
        yield addresses


def _leave_note(settings: Settings, addresses: Addresses) -> None:
    discovery.leave_note(
        settings.store,
        url=f"http://{on_this_machine(addresses.web)}",
        otlp_url=f"http://{on_this_machine(addresses.http)}",
        otlp_grpc=on_this_machine(addresses.grpc),
        version=version(),
        open_at=addresses.web if explain_exposure(addresses.web, settings.token) else None,
    )


@dataclass(frozen=True, slots=True)
class _Hosts:
    """The host names of the server: of its API, and of its OTLP/HTTP receiver; the origins of pages that may call the
    API."""

    web: AllowedHosts
    http: AllowedHosts
    origins: AllowedOrigins

    @classmethod
    def of(cls, settings: Settings) -> _Hosts:
        listen = settings.listen
        return cls(
            AllowedHosts(listen.web, listen.allowed_hosts),
            AllowedHosts(listen.http, listen.allowed_hosts),
            AllowedOrigins(listen.allowed_origins),
        )

    def change(self, listen: Listen) -> None:
        for hosts in (self.web, self.http):
            hosts.change(listen.allowed_hosts)
        self.origins.change(listen.allowed_origins)


async def _listening(
    pipeline: Pipeline,
    commands: StoreCommands,
    settings: Settings,
    hosts: _Hosts,
    stack: contextlib.AsyncExitStack,
) -> Addresses:
    limits = settings.ingest.limits
    control = AccessControl(settings.token.get_secret_value() if settings.token else None, hosts.web)
    endpoints = Endpoints(settings.listen.grpc, settings.listen.http)
    most = connections_per_port()
    streams = Streams(min(most // _STREAMS, _MOST_STREAMS))
    templates = Templates(Assets())
    logins = Logins(locate(settings.store).companion("logins"))
    pages = partial(make_pages, logins=logins, templates=templates, endpoints=endpoints, streams=streams)
    guarded = Guard(_make_api(pipeline, commands, control, pages), WrongTokens())
    api = OtherSites(guarded, control, hosts.origins, templates)
    web_loop = LoopThread("web")
    stack.push_async_callback(web_loop.close)
    proxies = settings.listen.trusted_proxies
    stops: list[Callable[[], Awaitable[object]]] = [lambda: web_loop.call(streams.end())]
    stack.push_async_callback(_stopped, stops, pipeline)
    web = await web_loop.call(
        Listener.start(
            settings.listen.web,
            api,
            option="--web",
            endpoints=endpoints,
            connections=most,
            trusted_proxies=proxies,
        )
    )
    stops.append(lambda: web_loop.call(web.stop()))
    otlp_routes = [
        *otlp_http.routes(pipeline.queue, limits=limits, hosts=hosts.http),
        *make_routes(HEALTH, pipeline.queue, control),
    ]
    otlp = Starlette(routes=otlp_routes)
    http = await Listener.start(settings.listen.http, otlp, option="--http", endpoints=endpoints, connections=most)
    stops.append(http.stop)
    grpc = GrpcReceiver(pipeline.queue, limits=limits, connections=most)
    grpc_port = await grpc.start(settings.listen.grpc, option="--grpc")
    stops.append(partial(grpc.drain, _DRAIN_S))
    host = settings.listen.grpc.rpartition(":")[0]
    endpoints.grpc, endpoints.http = f"{host}:{grpc_port}", http.address
    return Addresses(endpoints.grpc, endpoints.http, web.address)


def _make_api(
    pipeline: Pipeline,
    commands: StoreCommands,
    control: AccessControl,
    pages: Callable[[Api, AccessControl], Sequence[Route]],
) -> ASGIApp:
    """Build the application of the API port."""
    explainer = Explainer(pipeline, lambda: pipeline.lanes)
    own = InProcess(pipeline.database.connect)
    listings = Listings(
        evaluators=lambda: list_running(own, pipeline.lanes),
        reports=lambda: open_library(pipeline.lanes.settings),
        remedies=_explain_gaps,
        unbound_budgets=lambda: explain_unbound_budgets(pipeline.lanes.settings, pipeline.evaluators),
    )
    exposition = Exposition(own, lambda: pipeline.evaluators)
    scratch = pipeline.database.open_scratch
    api = Api(pipeline, commands, explainer.explain, own=own, listings=listings, open_scratch=scratch)
    return make_app([*make_web_routes(api, exposition, pipeline.queue, control), *pages(api, control)])


def _explain_gaps(gaps: Sequence[str], *, dialect: str | None, scope: str | None) -> Sequence[Remedy]:
    from ..reports.diagnosis import explain_gaps  # noqa: PLC0415 - it needs all dialects, which only workers have

    return explain_gaps(gaps, dialect=dialect, scope=scope)


async def _stopped(stops: list[Callable[[], Awaitable[object]]], pipeline: Pipeline) -> None:
    """Call all `stops` concurrently and wait for them. After 5 s, queries that run or begin are interrupted."""
    tasks = [asyncio.ensure_future(stop()) for stop in stops]
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=_PATIENCE_S)
    while late:
        pipeline.interrupt_queries()
        _, late = await asyncio.wait(late, timeout=_AGAIN_S)
    await asyncio.gather(*tasks)
