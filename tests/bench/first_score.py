"""From the export of a finished run to its first score in SQL, with the settings everybody starts with."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

from .figures import Benchmark, Metric, Options
from .server import Server, running
from .traffic import run, serialized

__all__ = ["FIRST_SCORE"]

_LIMIT_S = 90.0
_LOOK_EVERY_S = 0.05


def _run(_: Options) -> Mapping[str, float]:
    with running() as server:
        return {
            "first run of a new server": _seconds(server, parent_span_id=b""),
            "below a foreign parent": _seconds(server, parent_span_id=random.randbytes(8)),
            "without a parent": _seconds(server, parent_span_id=b""),
        }


def _seconds(server: Server, *, parent_span_id: bytes) -> float:
    trace_id = random.randbytes(16)
    spans = run(trace_id, time.time_ns(), span_bytes=600, parent_span_id=parent_span_id)
    began = time.perf_counter()
    refusal = server.server.call(serialized(spans))
    if refusal is not None:
        raise refusal
    while (waited_s := time.perf_counter() - began) < _LIMIT_S:
        if server.count(f"latest_scores where trace_id = '{trace_id.hex()}'"):
            return waited_s
        time.sleep(_LOOK_EVERY_S)
    return float("inf")


FIRST_SCORE = Benchmark(
    "Export to first score",
    (
        Metric(name="first run of a new server", unit="s", target=10, less_is_better=True),
        Metric(name="below a foreign parent", unit="s", target=10, less_is_better=True),
        Metric(name="without a parent", unit="s", target=10, less_is_better=True),
    ),
    _run,
)
