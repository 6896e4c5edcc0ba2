"""From the command to a server that accepts, and what it weighs before it has anything to do."""

from __future__ import annotations

from collections.abc import Mapping

from .figures import Benchmark, Metric, Options
from .server import running

__all__ = ["START"]


def _run(_: Options) -> Mapping[str, float]:
    with running() as server:
        return {"start to healthy": server.healthy_after_s, "memory without worker": server.rss_mb}


START = Benchmark(
    "Start",
    (
        Metric(name="start to healthy", unit="s", target=2, less_is_better=True),
        Metric(name="memory without worker", unit="MB", target=150, less_is_better=True),
    ),
    _run,
)
