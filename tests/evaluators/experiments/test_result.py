"""What the scores of an experiment are in numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.experiments import make_failed_run, make_result, make_scored_run

from tracegrade.evaluators.model import Score


def test_mean_and_pass_rate_have_intervals_over_items() -> None:
    (own,) = make_result({"a": [1.0], "b": [0.5], "c": [1.0], "d": [0.0]}).evaluators
    assert own.mean is not None
    assert (own.mean.value, own.mean.items) == (0.625, 4)
    assert own.mean.interval is not None
    assert 0 < own.mean.interval.low < 0.625 < own.mean.interval.high <= 1
    assert own.pass_rate is not None
    assert (own.pass_rate.value, own.pass_rate.items) == (0.5, 4)
    assert own.pass_rate.interval is not None
    assert (own.pass_rate.interval.low, own.pass_rate.interval.high) == pytest.approx((0.1500, 0.8500), abs=1e-4)


def test_repeats_of_an_item_count_as_one_item() -> None:
    (own,) = make_result({"a": [1.0] * 10, "b": [0.0]}).evaluators
    assert own.mean is not None
    assert (own.mean.value, own.mean.items) == (0.5, 2)


def test_pass_hat_is_the_chance_that_k_repeats_all_pass() -> None:
    """With 3 of 4 repeats passed, pass^2 is C(3,2) / C(4,2), as tau-bench defines it."""
    (own,) = make_result({"a": [1.0, 1.0, 1.0, 0.0], "b": [1.0] * 4}).evaluators
    assert [estimate.value for estimate in own.pass_hat] == pytest.approx([0.875, 0.75, 0.625, 0.5])


def test_items_with_fewer_repeats_are_left_out_of_higher_pass_hats() -> None:
    (own,) = make_result({"a": [1.0, 1.0], "b": [0.0]}).evaluators
    assert [(estimate.value, estimate.items) for estimate in own.pass_hat] == [(0.5, 2), (1.0, 1)]


def test_run_with_scores_on_several_calls_counts_once_and_passes_if_all_pass() -> None:
    (own,) = make_result([make_scored_run("a", 1.0, 0.5), make_scored_run("b", 1.0, 1.0)]).evaluators
    assert own.mean is not None
    assert own.mean.value == 0.875
    assert own.pass_rate is not None
    assert own.pass_rate.value == 0.5


def test_skipped_scores_and_failed_evaluations_are_counted_beside_the_figures() -> None:
    runs = [
        make_scored_run("a", 1.0),
        make_scored_run("b", Score.skip("no calls")),
        make_scored_run("c", Score.failed("it broke")),
    ]
    (own,) = make_result(runs).evaluators
    assert own.mean is not None
    assert (own.mean.value, own.mean.items, own.skipped, own.errors) == (1.0, 1, 1, 1)


def test_run_whose_task_failed_did_not_pass_and_is_in_no_mean() -> None:
    runs = [make_scored_run("a", 1.0), replace(make_failed_run("a"), repeat=1), make_failed_run("b")]
    (own,) = make_result(runs).evaluators
    assert [(estimate.value, estimate.items) for estimate in own.pass_hat] == [(0.25, 2), (0.0, 1)]
    assert own.mean is not None
    assert (own.mean.value, own.mean.items, own.errors) == (1.0, 1, 0)


def test_failed_run_says_nothing_where_the_evaluator_decides_nothing() -> None:
    undecided = replace(make_scored_run("a", repeat=1), scores=())
    runs = [make_scored_run("a", Score.skip("no calls")), undecided, replace(make_failed_run("a"), repeat=2)]
    assert [each.pass_rate for each in make_result(runs).evaluators] == [None]
    (own,) = make_result([*runs, make_scored_run("b", 1.0)]).evaluators
    assert own.pass_rate is not None
    assert (own.pass_rate.value, own.pass_rate.items) == (1.0, 1)


def test_evaluator_without_a_row_is_listed() -> None:
    (own,) = make_result([make_failed_run("a")], evaluator_names=("own",)).evaluators
    assert (own.evaluator, own.mean, own.skipped, own.errors) == ("own", None, 0, 0)
    assert own.pass_rate is not None
    assert own.pass_rate.value == 0.0
    (other,) = make_result([replace(make_scored_run("a"), scores=())], evaluator_names=("own",)).evaluators
    assert (other.mean, other.pass_rate) == (None, None)


def test_evaluator_without_any_score_has_no_figures() -> None:
    (own,) = make_result([make_scored_run("a", Score.skip("no calls"))]).evaluators
    assert (own.mean, own.pass_rate, own.skipped) == (None, None, 1)


def test_runs_with_an_error_are_listed() -> None:
    failed = make_failed_run("b")
    assert make_result([make_scored_run("a", 1.0), failed]).errors == (failed,)
