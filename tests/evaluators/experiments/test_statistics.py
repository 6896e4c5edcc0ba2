"""Intervals of shares and of differences, against published figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.experiments.statistics import (
    difference_of_means,
    difference_of_shares,
    mean_interval,
    paired_difference_of_shares,
    wilson,
)

COUNTS = st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@pytest.mark.parametrize(
    ("passed", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0000, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_interval_of_a_share_is_the_published_one(passed: int, of: int, low: float, high: float) -> None:
    """Method 3 in R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I."""
    interval = wilson(passed, of)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("shares", "low", "high"),
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((10, 10, 0, 20), 0.6791, 1.0000),
        ((10, 10, 0, 10), 0.6075, 1.0000),
    ],
)
def test_interval_of_a_difference_is_the_published_one(
    shares: tuple[int, int, int, int], low: float, high: float
) -> None:
    """Method 10 in R. G. Newcombe, Statistics in Medicine 17 (1998), 873-890, table II."""
    interval = difference_of_shares(*shares)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)


@given(COUNTS, COUNTS)
def test_difference_lies_in_its_interval_and_turns_its_sign_with_the_sides(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    interval, turned = difference_of_shares(*one, *other), difference_of_shares(*other, *one)
    difference = one[0] / one[1] - other[0] / other[1]
    assert -1 - 1e-9 <= interval.low <= difference + 1e-9
    assert difference - 1e-9 <= interval.high <= 1 + 1e-9
    assert (interval.low, interval.high) == pytest.approx((-turned.high, -turned.low))


def test_difference_of_means_is_wider_for_values_that_vary() -> None:
    narrow = difference_of_means(0.9, 0.01, 100, (0.8, 0.01, 100))
    wide = difference_of_means(0.9, 0.04, 100, (0.8, 0.04, 100))
    assert (narrow.low, narrow.high) == pytest.approx((0.0723, 0.1277), abs=1e-4)
    assert wide.high - wide.low == pytest.approx(2 * (narrow.high - narrow.low))


@pytest.mark.parametrize(
    ("both", "first", "second", "neither", "low", "high"),
    [(1, 1, 7, 12, 0.0256, 0.5069), (59, 6, 16, 80, 0.0046, 0.1186), (36, 12, 2, 0, -0.3404, -0.0569)],
)
def test_interval_of_a_paired_difference_is_the_published_one(
    both: int, first: int, second: int, neither: int, low: float, high: float
) -> None:
    """Method 10 in R. G. Newcombe, Statistics in Medicine 17 (1998), 2635-2650; the data of Bentur and of
    Cavo as in M. W. Fagerland and others, Statistics in Medicine 33 (2014), 2850-2875."""
    pairs = [(1.0, 1.0)] * both + [(1.0, 0.0)] * first + [(0.0, 1.0)] * second + [(0.0, 0.0)] * neither
    interval = paired_difference_of_shares(pairs)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=50))
def test_paired_difference_lies_in_its_interval(pairs: list[tuple[float, float]]) -> None:
    interval = paired_difference_of_shares(pairs)
    difference = sum(after - before for before, after in pairs) / len(pairs)
    assert interval.low - 1e-9 <= difference <= interval.high + 1e-9


def test_pairs_that_agree_give_a_narrower_interval_than_groups_of_the_same_shares() -> None:
    pairs = [(1.0, 1.0)] * 60 + [(0.0, 1.0)] * 5 + [(0.0, 0.0)] * 35
    paired, apart = paired_difference_of_shares(pairs), difference_of_shares(65, 100, 60, 100)
    assert paired.low > 0 > apart.low
    assert paired.high - paired.low < (apart.high - apart.low) / 2


def test_interval_of_a_mean_needs_two_values() -> None:
    assert mean_interval([0.5]) is None
    interval = mean_interval([0.4, 0.6, 0.4, 0.6])
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.3868, 0.6132), abs=1e-4)
