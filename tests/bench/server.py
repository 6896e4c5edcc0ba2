"""A real server in a process of its own, on free ports, over a new store, with the settings everybody starts with."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import psutil

__all__ = ["Server", "running"]

_PATIENCE_S = 30.0
_POLL_S = 0.005
_RUNNER = """
import asyncio, sys
from tracegrade.collector.app import serving
from tracegrade.collector.settings import load

async def run(store, grpc, http, web):
    async with serving(load(store=store, listen={"grpc": grpc, "http": http, "web": web})):
        await asyncio.Event().wait()

asyncio.run(run(*sys.argv[1:]))
"""


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and how long it took until it was healthy."""

    process: psutil.Process
    grpc: str
    web: str
    healthy_after_s: float

    def sql(self, text: str) -> list[Any]:
        """The rows that the SQL endpoint gives."""
        answer = httpx.post(f"http://{self.web}/api/v1/sql", json={"sql": text}, timeout=60)
        answer.raise_for_status()
        rows: list[Any] = answer.json()["rows"]
        return rows

    def count(self, table: str) -> int:
        """The number of rows of a table."""
        return int(self.sql(f"select count(*) from {table}")[0][0])

    @property
    def rss_mb(self) -> float:
        """Memory of the server process alone, in MB of 2**20 bytes."""
        return float(self.process.memory_info().rss) / 2**20


@contextmanager
def running() -> Iterator[Server]:
    """A server until the context is left."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tracegrade-bench-"))
        grpc, http, web = (f"127.0.0.1:{port}" for port in _free_ports(3))
        began = time.perf_counter()
        process = stack.enter_context(
            subprocess.Popen([sys.executable, "-c", _RUNNER, f"{folder}/bench.duckdb", grpc, http, web], cwd=folder)
        )
        stack.callback(process.kill)
        _wait_until_healthy(process, web)
        yield Server(psutil.Process(process.pid), grpc, web, time.perf_counter() - began)


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


def _wait_until_healthy(process: subprocess.Popen[bytes], web: str) -> None:
    until = time.monotonic() + _PATIENCE_S
    with httpx.Client() as client:
        while time.monotonic() < until and process.poll() is None:
            try:
                if client.get(f"http://{web}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(_POLL_S)
    raise RuntimeError(f"the server was not healthy within {_PATIENCE_S:g} s")
