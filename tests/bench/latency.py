"""How long a sender waits for its acknowledgement under a steady load of 2,000 spans a second: alone, and beside people
who read."""

from __future__ import annotations

import itertools
import statistics
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

import httpx

from .client import go, ready
from .figures import Benchmark, Metric, Options
from .server import running
from .traffic import Traffic

__all__ = ["CLICKING", "LATENCY", "READING"]

_SPANS_PER_S = 2_000
_SPANS_PER_REQUEST = 100
_IN_FLIGHT = 64
_READERS: Final = 10
_TIMEOUT_S: Final = 60
_REPORTS: Final = tuple(
    f"/api/v1/reports/{name}?since=24h"
    for name in ("failed", "worse", "versions", "tool_scorecards", "agent_costs", "failure_patterns", "latency")
)
_PAGES: Final = (
    "/?since=24h",
    "/runs?since=24h",
    "/runs?since=24h&q=is:failing",
    "/sessions?since=24h",
    "/evaluators",
    "/tools?since=24h",
)
_PAUSE_S: Final = 1.0
"""How long a person looks at a page before the next click."""


def _run(options: Options, paths: Sequence[str] = (), pause_s: float = 0.0) -> Mapping[str, float]:
    traffic = Traffic(spans=int(_SPANS_PER_S * options.seconds), span_bytes=600, spans_per_request=_SPANS_PER_REQUEST)
    with (
        running() as server,
        ready(server.grpc, traffic, in_flight=_IN_FLIGHT, spans_per_s=_SPANS_PER_S) as client,
        _reading(server.server.web, paths, pause_s) as answers,
    ):
        sent = go(client)
    percentiles = statistics.quantiles(sent.latencies_ms, n=100, method="inclusive")
    return {
        "requests": len(sent.latencies_ms),
        "p50": percentiles[49],
        "p95": percentiles[94],
        "p99": percentiles[98],
        "slowest": max(sent.latencies_ms),
        "answers": answers.count(200),
        "busy": len(answers) - answers.count(200),
    }


@contextmanager
def _reading(url: str, paths: Sequence[str], pause_s: float) -> Iterator[list[int]]:
    """Ten readers who ask for these paths one after the other, until the context is left; the statuses they got."""
    statuses: list[int] = []
    ended = threading.Event()

    def read(first: int) -> None:
        with httpx.Client(base_url=url, timeout=_TIMEOUT_S, trust_env=False) as client:
            for path in itertools.islice(itertools.cycle(paths), first, None):
                statuses.append(client.get(path).status_code)
                if ended.wait(pause_s):
                    return

    readers = [threading.Thread(target=read, args=(number,)) for number in range(_READERS if paths else 0)]
    for reader in readers:
        reader.start()
    yield statuses
    ended.set()
    for reader in readers:
        reader.join()


LATENCY = Benchmark(
    "Acknowledgement at 2,000 spans/s, 600 B a span",
    (
        Metric(name="requests", unit=""),
        Metric(name="p50", unit="ms", less_is_better=True),
        Metric(name="p95", unit="ms", target=300, less_is_better=True),
        Metric(name="p99", unit="ms", target=1000, less_is_better=True),
        Metric(name="slowest", unit="ms", less_is_better=True),
    ),
    _run,
)

READING = Benchmark(
    "Acknowledgement at 2,000 spans/s, with ten readers of reports",
    (
        *LATENCY.metrics,
        Metric(name="answers", unit=""),
        Metric(name="busy", unit="", less_is_better=True),
    ),
    partial(_run, paths=_REPORTS),
)

CLICKING = Benchmark(
    "Acknowledgement at 2,000 spans/s, with ten readers of pages who click each second",
    READING.metrics,
    partial(_run, paths=_PAGES, pause_s=_PAUSE_S),
)
