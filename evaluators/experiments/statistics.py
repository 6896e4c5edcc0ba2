"""Intervals of means, of shares, and of differences. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final

__all__ = [
    "Interval",
    "difference_of_means",
    "difference_of_shares",
    "mean_interval",
    "paired_difference_of_shares",
    "wilson",
]

_Z_95: Final = 1.959963984540054
"""Standard deviations to either side that contain 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The 95 % interval of a value."""

    low: float
    high: float


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the interval of the mean of `values`, which is taken as normally distributed; None for fewer than two."""
    if len(values) < 2:
        return None
    mean, half = fmean(values), _Z_95 * stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean + half)


def wilson(passed: float, of: int) -> Interval:
    """Return the interval of the share `passed` of `of`, which is at least 1.

    It is E. B. Wilson's (Journal of the American Statistical Association 22 (1927), 209-212), which is also right for
    small numbers and near 0 and 1. Of parts that are shares themselves, `passed` is the sum; these vary less than
    parts that are 0 or 1, so the interval is then rather too wide.
    """
    share, shrunk = passed / of, _Z_95**2 / of
    middle = (share + shrunk / 2) / (1 + shrunk)
    half = _Z_95 * math.sqrt(share * (1 - share) / of + shrunk / (4 * of)) / (1 + shrunk)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def difference_of_shares(passed: int, of: int, other_passed: int, other_of: int) -> Interval:
    """Return the interval of how much higher the share `passed` of `of` is than the other one; both are at least of 1.

    It is method 10 of R. G. Newcombe (Statistics in Medicine 17 (1998), 873-890), made of two intervals by Wilson.
    """
    share, other_share = passed / of, other_passed / other_of
    own, other = wilson(passed, of), wilson(other_passed, other_of)
    difference = share - other_share
    return Interval(
        difference - math.hypot(share - own.low, other.high - other_share),
        difference + math.hypot(own.high - share, other_share - other.low),
    )


def difference_of_means(mean: float, variance: float, of: int, other: tuple[float, float, int]) -> Interval:
    """Return the interval of how much higher a mean is than that of `other` values: their mean, variance and number.

    Both numbers are at least 2. The differences of means are taken as normally distributed, with the variances of the
    samples (B. L. Welch, Biometrika 34 (1947), 28-35).
    """
    other_mean, other_variance, other_of = other
    half = _Z_95 * math.sqrt(variance / of + other_variance / other_of)
    return Interval(mean - other_mean - half, mean - other_mean + half)


def paired_difference_of_shares(pairs: Sequence[tuple[float, float]]) -> Interval:
    """Return the interval of how much higher the mean of the second shares is than that of the first, pair by pair.

    There is at least one pair. It is method 10 of R. G. Newcombe (Statistics in Medicine 17 (1998), 2635-2650), made of
    two intervals by Wilson and of the correlation, with its correction for continuity. It is made for pairs of 0 and 1;
    of shares between them it is rather too wide.
    """
    of = len(pairs)
    before, after = fmean(pair[0] for pair in pairs), fmean(pair[1] for pair in pairs)
    low, high = wilson(before * of, of), wilson(after * of, of)
    correlation = _correlate(pairs, before, after)
    return Interval(
        after - before - _join(after - high.low, low.high - before, correlation),
        after - before + _join(high.high - after, before - low.low, correlation),
    )


def _correlate(pairs: Sequence[tuple[float, float]], before: float, after: float) -> float:
    """Return the correlation of pairs of shares with these means, 0 if one of the means is 0 or 1."""
    spread = before * (1 - before) * after * (1 - after)
    if spread <= 0:
        return 0.0
    common = fmean(one * other for one, other in pairs) - before * after
    if common > 0:
        common = max(common - 1 / (2 * len(pairs)), 0.0)
    return common / math.sqrt(spread)


def _join(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(one**2 - 2 * correlation * one * other + other**2, 0.0))
