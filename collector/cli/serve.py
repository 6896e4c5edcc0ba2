"""`tracegrade serve`: runs the server until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TextIO, cast

import click
import structlog

from tracegrade.evaluators.definition.imports import leave_pandas_out
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.text.messages import counted

from ..client.settings import load_settings, select_given
from ..config.api_token import explain_exposure
from ..config.budgets import explain_unbound_budgets
from ..config.settings import Settings, evaluators_of, judges_of
from ..references.rules import References
from ..server.app import Addresses, serving
from ..server.stopping import LIMIT_S, end_now, end_within
from ..store.errors import StoreUnavailable
from ..system.allocator import share_arenas
from ..system.descriptors import raise_limit
from ..system.log import log, remove_controls
from ..version import version
from .endpoints import GRPC, HTTP

__all__ = ["serve"]

INTERRUPTED = 130

_SWITCH_S: Final = 0.0005
"""How long a thread keeps the interpreter while others wait for it. An event loop gives it up at each read and write of
a socket, and waits as long for each thread that computes: by default 5 ms, so that a few hundred connections would have
to wait for seconds."""


def serve(
    *,
    store: str | None,
    config: Path | None,
    grpc: str | None,
    http: str | None,
    web: str | None,
    quack: str | None,
) -> int:
    listen = select_given(grpc=grpc, http=http, web=web, quack=quack)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until there is something to reload
    read_settings = partial(load_settings, config, store=store, listen=listen or None)
    settings = read_settings()
    _log_to_stderr()
    raise_limit()
    share_arenas()
    leave_pandas_out()
    sys.setswitchinterval(_SWITCH_S)
    return asyncio.run(_serve(settings, read_settings))


async def _serve(settings: Settings, reread: Callable[[], Settings]) -> int:
    stopped: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    ending = _Ending(stopped)
    for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, INTERRUPTED)):
        signal.signal(number, partial(ending.on_signal, code))
    async with serving(settings, reread, on_lost=ending.on_lost) as addresses:
        ending.has_begun = True
        evaluators = evaluators_of(settings)
        unbound = await asyncio.to_thread(explain_unbound_budgets, settings, evaluators)  # prices take a second to load
        _greet(settings, addresses, evaluators, unbound)
        code = await stopped
        with contextlib.suppress(OSError):  # standard output may be on a full disk
            click.echo("stopping: storing accepted spans …")
    return code


class _Ending:
    """Ends the server on a signal, and when its store is lost."""

    def __init__(self, stopped: asyncio.Future[int]) -> None:
        self._stopped = stopped
        self._loop = stopped.get_loop()
        self.has_begun = False

    def on_signal(self, code: int, *_: object) -> None:
        """Handle a signal, even while the event loop is blocked."""
        if not self.has_begun:
            end_now(code)  # nothing was accepted, and opening a store cannot be interrupted
        end_within(LIMIT_S, code)
        self._loop.call_soon_threadsafe(self._end, code)

    def on_lost(self, lost: StoreUnavailable) -> None:
        """End the server when its store is lost. Called on the event loop."""
        end_within(LIMIT_S, lost.exit_code)
        if not self._stopped.done():
            self._stopped.set_exception(lost)

    def _end(self, code: int) -> None:
        if not self._stopped.done():
            self._stopped.set_result(code)


def _format_query_command(settings: Settings) -> str:
    option = "" if settings.store == Settings.model_fields["store"].default else f" --store {settings.store}"
    return f'tracegrade sql{option} "select evaluator, value, explanation from latest_scores"'


def _log_to_stderr() -> None:
    """Configure the log: one line per event on stderr, from level INFO on."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            remove_controls,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(cast("TextIO", _LossyStream(sys.stderr))),
    )


class _LossyStream(io.TextIOBase):
    """Drops lines that cannot be written: a full disk must not end the thread that logs."""

    def __init__(self, target: TextIO) -> None:
        self._target = target

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._target.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._target.flush()


def _describe_references(settings: Settings) -> str:
    if settings.references is None:
        sources = "attributes of agents" if "attributes" in settings.trust.references else "none"
        return f"{sources} (set `references` to a file of rules)"
    references = References.read(settings.references)
    rules, agents = counted(len(references.rules), "rule"), counted(len(references.tools), "agent")
    return f"{settings.references}: {rules}, tools of {agents}"


def _describe_evaluators(settings: Settings, count: int) -> str:
    if settings.evaluators == ():
        return "none: `evaluators` is an empty list, so nothing is evaluated"
    origin = "the defaults" if settings.evaluators is None else "configured"
    every_s = settings.evaluation.every.total_seconds()
    return f"{count} running ({origin}); a pass at most every {every_s:g} s"


def _describe_judges(settings: Settings, evaluators: Sequence[Configured]) -> list[str]:
    """Describe the judges in use."""
    names = {evaluator.asks for evaluator in evaluators}
    return [f"{name} ({judge.called})" for name, judge in sorted(judges_of(settings).items()) if name in names]


def _greet(
    settings: Settings, addresses: Addresses, evaluators: Sequence[Configured], unbound_budgets: Sequence[str]
) -> None:
    click.echo(f"Tracegrade {version()} is listening.\n")
    for name, protocol, address in (("gRPC", GRPC, addresses.grpc), ("HTTP", HTTP, addresses.http)):
        click.echo(f"  OTLP/{name}   export OTEL_EXPORTER_OTLP_ENDPOINT=http://{address}")
        click.echo(f"              export OTEL_EXPORTER_OTLP_PROTOCOL={protocol}")
    click.echo(f"  pages       http://{addresses.web}")
    click.echo(f"  SQL         POST http://{addresses.web}/api/v1/sql, or")
    click.echo(f"    {_format_query_command(settings)}")
    if addresses.quack:
        click.echo(f"  Quack       attach 'quack:{addresses.quack}' as tracegrade (token …)")
    if exposure := explain_exposure(addresses.web, settings.token):
        log.warning("the API is open to others", address=addresses.web, remedy=exposure.partition(": ")[2])
        click.echo(f"  WARNING     {exposure}")
    click.echo(f"  store       {settings.store}")
    click.echo(f"  evaluators  {_describe_evaluators(settings, len(evaluators))}")
    for judge in _describe_judges(settings, evaluators):
        click.echo(f"  judge       {judge}")
    for line in unbound_budgets:
        log.warning("a budget does not bind", reason=line)
        click.echo(f"  WARNING     {line}")
    click.echo(f"  references  {_describe_references(settings)}")
    click.echo(f"  exports     {settings.export.endpoint or 'none (set export.endpoint to send scores)'}\n")
