"""`tracegrade demo`: everything from spans to scores, on recordings of real agents, in a temporary store."""

from __future__ import annotations

import asyncio
import signal
import tempfile
from collections.abc import Collection
from pathlib import Path

from tracegrade.queries.catalog import objects, report

from ..client.source import RemoteSource, Source
from ..config.settings import Listen, Settings, load
from ..receiver.address import CannotListen, ensure_free
from ..server.app import Addresses, serving
from .console import console
from .output import print_rows
from .tail import new_runs, show_line

__all__ = ["demo"]

_PATIENCE_S = 60.0
_POLL_S = 0.25
_BETWEEN_RUNS_S = 0.3
_REPORTS = ("scores_by_evaluator", "failing_runs", "tools_by_name")


def demo(*, once: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="tracegrade-demo-") as folder:
        settings = load(
            store=str(Path(folder) / "demo.duckdb"),
            listen=_free(Listen()),
            evaluation={"every": "1s"},
        )
        return asyncio.run(_demo(settings, once=once))


async def _demo(settings: Settings, *, once: bool) -> int:
    async with serving(settings) as addresses:
        source = RemoteSource(f"http://{addresses.web}", max_rows=1000, timeout_s=30, token=None)
        console().print(
            f"A server with an empty store listens on {addresses.grpc} (OTLP/gRPC) and {addresses.http} (OTLP/HTTP)."
        )
        console().print("It receives recorded runs of real agents:\n")
        sending = asyncio.create_task(_send(addresses))
        await _watch(source, sending)
        await asyncio.to_thread(_answers, source)
        _farewell(addresses, stays=not once)
        if not once:
            await _told_to_stop()
    return 0


async def _send(addresses: Addresses) -> set[str]:
    """Send all recordings, one after the other; give their trace ids."""
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - half a second

    from ..demo.replay import recordings, replay  # noqa: PLC0415 - likewise

    exporter = OTLPSpanExporter(endpoint=f"http://{addresses.grpc}", insecure=True)
    sent: set[str] = set()
    for _, recording in recordings():
        sent |= await asyncio.to_thread(replay, recording, exporter)
        await asyncio.sleep(_BETWEEN_RUNS_S)
    exporter.shutdown()
    return sent


async def _watch(source: Source, sending: asyncio.Task[set[str]]) -> None:
    """Print each run when it is evaluated, until every trace that was sent has appeared."""
    after_seq = 0
    seen: set[str] = set()
    deadline = asyncio.get_running_loop().time() + _PATIENCE_S
    while not (sending.done() and sending.result() <= seen) and asyncio.get_running_loop().time() < deadline:
        for run in await asyncio.to_thread(new_runs, source, after_seq):
            show_line(run)
            after_seq = run["assembled_seq"]
            seen.add(run["trace_id"])
        await asyncio.sleep(_POLL_S)
    _complain(sending, seen)


def _complain(sending: asyncio.Task[set[str]], seen: Collection[str]) -> None:
    if not sending.done():
        console().print("not all recordings could be sent in time", style="red")
    elif missing := sending.result() - set(seen):
        console().print(f"{len(missing)} traces have no score", style="red")


def _answers(source: Source) -> None:
    """Print three queries with their results."""
    headers = {each.name: each.header for each in objects("report")}
    for name in _REPORTS:
        console().print(f"\n[bold]{headers[name]['purpose']}[/bold]")
        sql = report(name)
        console().print(_body(sql), style="dim", markup=False)
        print_rows(source.read(sql))


def _body(sql: str) -> str:
    """Remove the header of a query."""
    return "\n".join(text for text in sql.splitlines() if not text.startswith("--"))


def _farewell(addresses: Addresses, *, stays: bool) -> None:
    if stays:
        query = "select name, status, result from tool_calls"
        console().print(f'\nQuery: tracegrade sql --server http://{addresses.web} "{query}"')
        console().print(f"Open: http://{addresses.web}    Stop: Ctrl-C")
        return
    console().print(
        "\nFor your own agents, run [bold]tracegrade serve[/bold] and set the endpoint of their OTLP exporter."
    )


async def _told_to_stop() -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()


def _free(usual: Listen) -> dict[str, str]:
    """Give the default addresses, with a free port where one is taken."""
    return {name: _or_free(address) for name, address in usual.model_dump(exclude={"allowed_hosts"}).items()}


def _or_free(address: str) -> str:
    try:
        ensure_free(address, option="--port")
    except CannotListen:
        return f"{address.rpartition(':')[0]}:0"
    return address
