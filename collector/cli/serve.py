"""`tracegrade serve`: the server, until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import structlog
import typer

from tracegrade.evaluators.phrases import counted

from .. import memory
from ..app import Addresses, serving
from ..references import References
from ..settings import Settings, evaluators_of, judges_of, load
from ..version import version
from .console import Config, Store, given
from .endpoints import GRPC, HTTP

__all__ = ["serve"]

INTERRUPTED = 130
_Address = Annotated[str | None, typer.Option(metavar="HOST:PORT", show_default=False)]


def serve(
    store: Store = None,
    config: Config = None,
    grpc: _Address = None,
    http: _Address = None,
    web: _Address = None,
) -> int:
    """Receive spans, assemble and grade agent runs, answer SQL."""
    listen = given(grpc=grpc, http=http, web=web)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until there is something to reload
    read = partial(load, config, **given(store=store, listen=listen or None))
    settings = read()
    _log_to_stderr()
    memory.bound()
    return asyncio.run(_serve(settings, read))


async def _serve(settings: Settings, reread: Callable[[], Settings]) -> int:
    stopped: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, INTERRUPTED)):
        asyncio.get_running_loop().add_signal_handler(number, _stop, stopped, code)
    async with serving(settings, reread) as addresses:
        _greet(settings, addresses, judges=await asyncio.to_thread(_judges, settings))
        code = await stopped
        typer.echo("stopping: what was accepted is being stored …")
    return code


def _asking(settings: Settings) -> str:
    option = "" if settings.store == Settings.model_fields["store"].default else f" --store {settings.store}"
    return f'tracegrade sql{option} "select * from latest_scores"'


def _log_to_stderr() -> None:
    """A line an event, from INFO on."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _stop(stopped: asyncio.Future[int], code: int) -> None:
    if not stopped.done():
        stopped.set_result(code)


def _references(settings: Settings) -> str:
    if settings.references is None:
        return "what agents say themselves (set references to a file of rules)"
    known = References.read(settings.references)
    return f"{settings.references}: {counted(len(known.rules), 'rule')}, tools of {counted(len(known.tools), 'agent')}"


def _evaluators(settings: Settings) -> str:
    if settings.evaluators == ():
        return "none, so that nothing is judged: `evaluators` is an empty list"
    of = "the defaults" if settings.evaluators is None else "configured"
    every_s = settings.pass_.every.total_seconds()
    return f"{len(evaluators_of(settings))} at work ({of}); a pass follows what arrives, at most every {every_s:g} s"


def _judges(settings: Settings) -> list[str]:
    """Those that are asked, and whether nothing limits what they cost. Prices take a second to load."""
    asked = {one.asks for one in evaluators_of(settings)}
    judges = {name: judge for name, judge in judges_of(settings).items() if name in asked}
    if not judges:
        return []
    from tracegrade.evaluators.judge.price import unbound  # noqa: PLC0415 - few servers ask judges

    return [
        ": ".join(filter(None, (f"{name} ({judge.called})", unbound(judge)))) for name, judge in sorted(judges.items())
    ]


def _greet(settings: Settings, addresses: Addresses, *, judges: Sequence[str]) -> None:
    typer.echo(f"Tracegrade {version()} is listening.\n")
    for name, protocol, address in (("gRPC", GRPC, addresses.grpc), ("HTTP", HTTP, addresses.http)):
        typer.echo(f"  OTLP/{name}   export OTEL_EXPORTER_OTLP_ENDPOINT=http://{address}")
        typer.echo(f"              export OTEL_EXPORTER_OTLP_PROTOCOL={protocol}")
    typer.echo(f"  SQL         {_asking(settings)}   (or POST http://{addresses.web}/api/v1/sql)")
    typer.echo(f"  store       {settings.store}")
    typer.echo(f"  evaluators  {_evaluators(settings)}")
    for judge in judges:
        typer.echo(f"  judge       {judge}")
    typer.echo(f"  references  {_references(settings)}")
    typer.echo(f"  verdicts    sent on to {settings.export.endpoint or 'nobody (set export.endpoint)'}\n")
