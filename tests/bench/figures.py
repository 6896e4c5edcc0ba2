"""What a benchmark measures, and how it is printed: medians of several runs, each beside its target."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Benchmark", "Metric", "Options", "Run", "lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How much a benchmark does in one run."""

    spans: int = 200_000
    seconds: float = 20.0
    traces: int = 3_000
    rows: int = 1_000_000


Run: TypeAlias = Callable[[Options], Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A figure by name. `target` is what it has to reach, or with `less_is_better` must not exceed."""

    name: str
    unit: str
    target: float | None = None
    less_is_better: bool = False

    def times_target(self, value: float) -> float | None:
        """How many times over the target is met: 1 is exactly, below 1 is missed."""
        if self.target is None or not value:
            return None
        return self.target / value if self.less_is_better else value / self.target


@dataclass(frozen=True, slots=True)
class Benchmark:
    """`run` does it once and gives a value for each of `metrics`."""

    title: str
    metrics: Sequence[Metric]
    run: Run


def lines(benchmark: Benchmark, found: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """A line a metric: name, median, the range of the runs, and target with ratio where there is one."""
    for metric in benchmark.metrics:
        values = [values[metric.name] for values in found if metric.name in values]
        if not values:
            yield f"  {metric.name:<44}{'not measured':>22}"
            continue
        median = statistics.median(values)
        spread = f"{_short(min(values))}…{_short(max(values))}"
        line = f"  {metric.name:<44}{_short(median):>12} {metric.unit:<9}{spread:>22}"
        yield (line + _beside_target(metric, median)).rstrip()


def _beside_target(metric: Metric, value: float) -> str:
    if metric.target is None:
        return ""
    sign = "≤" if metric.less_is_better else "≥"
    ratio = metric.times_target(value)
    return f"   {sign} {_short(metric.target)}" + (f"  x{ratio:.2f}" if ratio else "")


def _short(value: float) -> str:
    """Three digits, and no more where there are no more."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
