"""The combined scores of gllm-evals."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import NamedTuple

__all__ = ["Aggregate", "MetricResult", "aggregate", "combined"]


class MetricResult(NamedTuple):
    """The score of one metric, None if it has none; `success` is None if the metric does not decide it."""

    score: float | None
    success: bool | None
    higher_is_better: bool = True


class Aggregate(NamedTuple):
    """The combined score of several metrics."""

    score: float
    success: bool


def combined(tool_correctness: float, generation: float) -> dict[str, float]:
    """Return `multiply_score` and `avg_score` of two scores in [0, 1]. Source: the documentation of gllm-evals."""
    return {
        "multiply_score": tool_correctness * generation,
        "avg_score": (tool_correctness + generation) / 2,
    }


def aggregate(results: Mapping[str, MetricResult]) -> Aggregate:
    """Return the mean of the scores, inverted where lower is better, and whether every metric succeeded.

    A metric without a score is left out of the mean and did not succeed. Without any score, the mean is 0, without
    success. Source: gllm-evals 0.1.20 MetricsAggregator
    """
    qualities = [
        result.score if result.higher_is_better else 1 - result.score
        for result in results.values()
        if result.score is not None
    ]
    if not qualities:
        return Aggregate(score=0.0, success=False)
    return Aggregate(
        score=fmean(qualities), success=all(result.success and result.score is not None for result in results.values())
    )
