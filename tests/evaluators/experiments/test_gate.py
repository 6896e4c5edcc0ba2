"""A gate passes only what its scores show to be good enough; without data it never passes."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tracegrade.evaluators.experiments.gate import Check, Figures, GateResult, Thresholds, decide

GOOD = Figures(valued=100, mean=0.95, variance=0.01, decided=100, passed=90, skipped=3, errors=2)
WORSE = Figures(valued=100, mean=0.90, variance=0.01, decided=100, passed=80)


def check(
    thresholds: Thresholds, own: Figures | None = GOOD, before: Figures | None = None, *, min_n: int = 1
) -> tuple[Check, ...]:
    figures = {} if own is None else {"polite": own}
    baseline = None if before is None else {"polite": before}
    return decide({"polite": thresholds}, figures, baseline, min_n=min_n).checks


@pytest.mark.parametrize(
    ("thresholds", "status", "message"),
    [
        (Thresholds(min_mean=0.95), "passed", "mean 0.95 of 100; 3 skipped, 2 errors"),
        (Thresholds(min_mean=0.951), "failed", "mean 0.95 of 100; 3 skipped, 2 errors: at least 0.951"),
        (Thresholds(min_pass_rate=0.9), "passed", "pass rate 90% of 100; 3 skipped, 2 errors"),
        (Thresholds(min_pass_rate=0.95), "failed", "pass rate 90% of 100; 3 skipped, 2 errors: at least 95%"),
        (
            Thresholds(min_mean=0.1, min_n=101),
            "no_data",
            "mean 0.95 of 100; 3 skipped, 2 errors: 100 of at least 101 scores",
        ),
    ],
)
def test_statistic_is_compared_with_its_minimum(thresholds: Thresholds, status: str, message: str) -> None:
    (found,) = check(thresholds)
    assert found.status == status
    assert found.message.startswith(message)


def test_each_statistic_with_a_limit_is_a_check() -> None:
    found = check(Thresholds(min_mean=0.5, min_pass_rate=0.95))
    assert [(each.statistic, each.status, each.value, each.n) for each in found] == [
        ("mean", "passed", 0.95, 100),
        ("pass_rate", "failed", 0.9, 100),
    ]


def test_drop_is_measured_from_the_baseline() -> None:
    (small,) = check(Thresholds(max_mean_drop=0.05), WORSE, GOOD)
    (large,) = check(Thresholds(max_mean_drop=0.04), WORSE, GOOD)
    assert (small.status, large.status) == ("passed", "failed")
    assert large.message == (
        "mean 0.9 of 100; before 0.95 of 100, change -0.05 (95 %: -0.0777 to -0.0223): "
        "0.05 lower than the baseline, at most 0.04"
    )
    assert (large.baseline, large.baseline_n, large.change) == pytest.approx((0.95, 100, -0.05))
    assert large.interval is not None
    assert large.interval.low < -0.05 < large.interval.high
    (better,) = check(Thresholds(max_pass_rate_drop=0.0), GOOD, WORSE)
    assert better.status == "passed"
    assert better.change == pytest.approx(0.1)
    change = "change +10 points (95 %: +0.0149 to +19.9)"
    assert better.message == f"pass rate 90% of 100; before 80% of 100, {change}; 3 skipped, 2 errors"


def test_change_is_shown_without_a_limit_too() -> None:
    (found,) = check(Thresholds(min_mean=0.5), GOOD, WORSE)
    assert found.status == "passed"
    assert found.change == pytest.approx(0.05)
    (alone,) = check(Thresholds(min_mean=0.5), GOOD, Figures())
    assert (alone.status, alone.change) == ("passed", None)


def test_failed_runs_of_an_experiment_did_not_pass_and_have_no_value() -> None:
    figures = Figures(valued=8, mean=1.0, decided=8, passed=8, failed_runs=2)
    mean, rate = check(Thresholds(min_mean=1, min_pass_rate=0.9), figures)
    assert (mean.status, mean.n) == ("passed", 8)
    assert (rate.status, rate.value, rate.n) == ("failed", 0.8, 10)
    assert rate.message == "pass rate 80% of 10; 2 failed runs: at least 90%"


@pytest.mark.parametrize(
    ("own", "before", "message"),
    [
        (None, None, "there are no scores"),
        (Figures(skipped=7), None, "7 skipped: 0 of at least 1 scores"),
        (Figures(decided=5, passed=5), None, "0 of at least 1 scores"),
        (GOOD, Figures(), "the baseline has 0 of at least 1 scores"),
    ],
    ids=["no scores", "all skipped", "no values", "no baseline"],
)
def test_check_without_data_is_never_passed(own: Figures | None, before: Figures | None, message: str) -> None:
    (found,) = check(Thresholds(min_mean=0.0, max_mean_drop=None if before is None else 1.0), own, before)
    assert found.status == "no_data"
    assert message in found.message


def test_minimum_that_is_not_reached_fails_without_a_baseline_too() -> None:
    both = Thresholds(min_mean=0.99, max_mean_drop=0.1)
    (failed,) = check(both, GOOD, Figures())
    assert (failed.status, failed.message) == ("failed", "mean 0.95 of 100; 3 skipped, 2 errors: at least 0.99")
    (few,) = check(both, GOOD, Figures(valued=1, mean=1.0), min_n=101)
    assert few.status == "no_data"


def test_misspelt_evaluator_is_named_with_the_nearest_one() -> None:
    (found,) = decide({"polit": Thresholds(min_mean=0.5)}, {"polite": GOOD}).checks
    assert (found.status, found.message) == ("no_data", "no scores of polit (did you mean 'polite'?)")


def test_drop_needs_a_baseline() -> None:
    with pytest.raises(ValueError, match="max_mean_drop needs a baseline"):
        check(Thresholds(max_mean_drop=0.1))


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        (["passed", "passed"], "passed"),
        (["passed", "no_data"], "no_data"),
        (["no_data", "failed", "passed"], "failed"),
        ([], "no_data"),
    ],
)
def test_gate_passes_only_if_every_check_does(statuses: list[str], status: str) -> None:
    checks = [
        Check(evaluator="e", statistic="mean", status=each, message="", n=1, min_n=1)  # type: ignore[arg-type]
        for each in statuses
    ]
    assert GateResult(tuple(checks)).status == status


@pytest.mark.parametrize(
    "fields", [{}, {"min_n": 3}, {"min_mean": 1.1}, {"min_mena": 0.5}, {"min_mean": 1, "min_n": 0}]
)
def test_thresholds_that_check_nothing_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Thresholds.model_validate(fields)


VALUES = st.lists(st.floats(0, 1, allow_subnormal=False), max_size=30)


def figures_of(values: list[float]) -> Figures:
    return Figures(
        valued=len(values),
        mean=statistics.fmean(values) if values else None,
        variance=statistics.variance(values) if len(values) > 1 else 0.0,
        decided=len(values),
        passed=sum(value > 0.5 for value in values),
    )


@given(VALUES, VALUES)
def test_figures_of_two_portions_are_those_of_all(one: list[float], other: list[float]) -> None:
    both, whole = figures_of(one) + figures_of(other), figures_of(one + other)
    assert (both.valued, both.decided, both.passed) == (whole.valued, whole.decided, whole.passed)
    assert both.mean == (None if whole.mean is None else pytest.approx(whole.mean, abs=1e-12))
    assert both.variance == pytest.approx(whole.variance, abs=1e-12)
