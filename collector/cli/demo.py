"""`tracegrade demo`: shows the way from spans to scores with recordings of real agents, in a temporary store."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Collection
from pathlib import Path

from tracegrade.queries.catalog import objects, report

from ..client.settings import load_settings
from ..client.source import Source, connect_to_server
from ..config.settings import Listen, Settings
from ..errors import Fault
from ..receiver.address import CannotListen, ensure_free
from ..server.app import Addresses, serving
from .console import console
from .output import print_rows
from .tail import read_new_runs, show_run

__all__ = ["demo"]

_USAGE = 2
_TIMEOUT_S = 60.0
_POLL_S = 0.25
_BETWEEN_RUNS_S = 0.3
_REPORTS = ("scores_by_evaluator", "failing_runs", "tools_by_name")


def demo(*, once: bool, history: str | None, seed: int | None, store: str | None) -> int:
    if history is None and (seed is not None or store is not None):
        raise Fault("--seed and --store belong to --history: add --history 28d", exit_code=_USAGE)
    with tempfile.TemporaryDirectory(prefix="tracegrade-demo-") as folder:
        if history is not None:
            return _show_history(history, seed=seed, store=store or str(Path(folder) / "history.duckdb"), once=once)
        settings = load_settings(
            None,
            store=str(Path(folder) / "demo.duckdb"),
            listen=_find_free_addresses(Listen()),
            evaluation={"every": "1s"},
            export={"endpoint": None},  # nobody waits for the scores of recordings
        )
        return asyncio.run(_run_demo(settings, once=once))


def _show_history(text: str, *, seed: int | None, store: str, once: bool) -> int:
    """Fill the store with a history, print what it consists of, and serve it."""
    from .demo_history import (  # noqa: PLC0415 - takes half a second, which the plain demo does not need
        fill_store,
        load_history_settings,
        make_history,
        print_history,
        refuse_existing,
    )

    history = make_history(text, seed)
    refuse_existing(store)
    settings = load_history_settings(store, listen=_find_free_addresses(Listen()))
    asyncio.run(fill_store(settings, history))
    print_history(history, store)
    return 0 if once else asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> int:
    async with serving(settings) as addresses:
        _print_farewell(addresses, stays=True)
        await _wait_for_signal()
    return 0


async def _run_demo(settings: Settings, *, once: bool) -> int:
    async with serving(settings) as addresses:
        source = connect_to_server(f"http://{addresses.web}", settings, max_rows=1000, timeout_s=30)
        console().print(
            f"A server with an empty store listens on {addresses.grpc} (OTLP/gRPC) and {addresses.http} (OTLP/HTTP)."
        )
        console().print("It receives recorded runs of real agents:\n")
        sending = asyncio.create_task(_send(addresses))
        await _watch(source, sending)
        await asyncio.to_thread(_print_answers, source)
        _print_farewell(addresses, stays=not once)
        if not once:
            await _wait_for_signal()
    return 0


async def _send(addresses: Addresses) -> set[str]:
    """Send all recordings, one after the other; return their trace ids."""
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - takes half a second

    from ..demo.replay import read_recordings, replay  # noqa: PLC0415 - likewise

    exporter = OTLPSpanExporter(endpoint=f"http://{addresses.grpc}", insecure=True)
    trace_ids: set[str] = set()
    for _, recording in read_recordings():
        trace_ids |= await asyncio.to_thread(replay, recording, exporter)
        await asyncio.sleep(_BETWEEN_RUNS_S)
    exporter.shutdown()
    return trace_ids


async def _watch(source: Source, sending: asyncio.Task[set[str]]) -> None:
    """Print each run when it is evaluated, until every trace that was sent has appeared."""
    after_seq = 0
    evaluated: set[str] = set()
    deadline = asyncio.get_running_loop().time() + _TIMEOUT_S
    while not (sending.done() and sending.result() <= evaluated) and asyncio.get_running_loop().time() < deadline:
        for run in await asyncio.to_thread(read_new_runs, source, after_seq):
            show_run(run)
            after_seq = run["assembled_seq"]
            evaluated.add(run["trace_id"])
        await asyncio.sleep(_POLL_S)
    _report_missing(sending, evaluated)


def _report_missing(sending: asyncio.Task[set[str]], evaluated: Collection[str]) -> None:
    if not sending.done():
        console().print("not all recordings could be sent in time", style="red")
    elif missing := sending.result() - set(evaluated):
        console().print(f"{len(missing)} traces have no score", style="red")


def _print_answers(source: Source) -> None:
    """Print three queries with their results."""
    headers = {query.name: query.header for query in objects("report")}
    for name in _REPORTS:
        console().print(f"\n[bold]{headers[name]['purpose']}[/bold]")
        sql = report(name)
        console().print(_strip_header(sql), style="dim", markup=False)
        print_rows(source.read(sql))


def _strip_header(sql: str) -> str:
    """Remove the header of a query."""
    return "\n".join(line for line in sql.splitlines() if not line.startswith("--"))


def _print_farewell(addresses: Addresses, *, stays: bool) -> None:
    if stays:
        query = "select name, status, result from tool_calls"
        console().print(f'\nQuery: tracegrade sql --server http://{addresses.web} "{query}"')
        console().print(f"Open: http://{addresses.web}    Stop: Ctrl-C")
        return
    console().print(
        "\nFor your own agents, run [bold]tracegrade serve[/bold] and set the endpoint of their OTLP exporter."
    )


async def _wait_for_signal() -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()


def _find_free_addresses(defaults: Listen) -> dict[str, str]:
    """Return the default addresses, with a free port in place of one that is in use."""
    return {name: _find_free(address) for name, address in defaults.model_dump(include={"grpc", "http", "web"}).items()}


def _find_free(address: str) -> str:
    try:
        ensure_free(address, option="--port")
    except CannotListen:
        return f"{address.rpartition(':')[0]}:0"
    return address
