"""Intervals of shares and of differences. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

__all__ = ["Interval", "difference_of_means", "difference_of_shares", "wilson"]

_Z_95: Final = 1.959963984540054
"""Standard deviations to either side that contain 95 % of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The 95 % interval of a value."""

    low: float
    high: float


def wilson(passed: int, of: int) -> Interval:
    """Return the interval of the share `passed` of `of`, which is at least 1.

    It is E. B. Wilson's (Journal of the American Statistical Association 22 (1927), 209-212), which is also right for
    small numbers and near 0 and 1.
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
