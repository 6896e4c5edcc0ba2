"""A real server over a new store, with the settings everybody starts with, and what a benchmark asks of it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil
from tests.support import server as support

__all__ = ["Server", "running"]


@dataclass(frozen=True, slots=True)
class Server:
    """Where it takes spans, and how long it took until it did."""

    server: support.Server
    healthy_after_s: float

    @property
    def grpc(self) -> str:
        return self.server.grpc

    @property
    def rss_mb(self) -> float:
        """Memory of the server process alone, in MB of 2**20 bytes."""
        return float(psutil.Process(self.server.process.pid).memory_info().rss) / 2**20

    def count(self, relation: str) -> int:
        """The number of rows of a relation, which may bring its condition with it."""
        return int(self.server.one(f"select count(*) from {relation}"))


@contextmanager
def running(variables: Mapping[str, str] = MappingProxyType({})) -> Iterator[Server]:
    """A server with `variables` in its environment, until the context is left."""
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        began = time.perf_counter()
        with support.running(Path(folder) / "store.duckdb", variables=variables) as server:
            yield Server(server, time.perf_counter() - began)
