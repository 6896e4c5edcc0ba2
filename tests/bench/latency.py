"""How long a sender waits for its acknowledgement under a steady load of 2,000 spans a second."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from .client import go, ready
from .figures import Benchmark, Metric, Options
from .server import running
from .traffic import Traffic

__all__ = ["LATENCY"]

_SPANS_PER_S = 2_000
_SPANS_PER_REQUEST = 100
_IN_FLIGHT = 64


def _run(options: Options) -> Mapping[str, float]:
    traffic = Traffic(spans=int(_SPANS_PER_S * options.seconds), span_bytes=600, spans_per_request=_SPANS_PER_REQUEST)
    with running() as server, ready(server.grpc, traffic, in_flight=_IN_FLIGHT, spans_per_s=_SPANS_PER_S) as client:
        sent = go(client)
    percentiles = statistics.quantiles(sent.latencies_ms, n=100, method="inclusive")
    return {
        "requests": len(sent.latencies_ms),
        "p50": percentiles[49],
        "p95": percentiles[94],
        "p99": percentiles[98],
        "slowest": max(sent.latencies_ms),
    }


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
