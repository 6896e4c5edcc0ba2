"""Several experiments are measured on the items that all of them share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.experiments import make_failed_run, make_item, make_result, make_scored_run

from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.experiments.trend import Trend, measure_trend
from tracegrade.evaluators.model import Score


def means(trend: Trend, evaluator: str = "own") -> list[tuple[float, int] | None]:
    """The mean of an evaluator in each experiment, with the number of items."""
    (points,) = (each.points for each in trend.evaluators if each.evaluator == evaluator)
    return [None if point.mean is None else (point.mean.value, point.mean.items) for point in points]


def pass_rates(trend: Trend) -> list[tuple[float, int] | None]:
    (own,) = trend.evaluators
    rates = [point.pass_rate for point in own.points]
    return [None if rate is None else (rate.value, rate.items) for rate in rates]


def test_means_and_pass_rates_are_those_of_shared_items() -> None:
    trend = measure_trend(
        [
            make_result({"a": [0.0], "b": [0.5], "gone": [1.0]}),
            make_result({"a": [1.0], "b": [0.5]}),
            make_result({"a": [1.0, 1.0], "b": [1.0, 0.5], "new": [0.0, 0.0]}),
        ]
    )
    assert (trend.shared, trend.left_out) == (("a", "b"), 2)
    assert means(trend) == [(0.25, 2), (0.75, 2), (0.875, 2)]
    assert pass_rates(trend) == [(0.0, 2), (0.5, 2), (0.75, 2)]
    (own,) = trend.evaluators
    assert own.points[0].pass_rate is not None
    assert own.points[0].pass_rate.interval is not None


def test_item_whose_content_changed_is_left_out() -> None:
    edited = replace(make_scored_run("a", 1.0), item=make_item("a", "other"))
    trend = measure_trend([make_result({"a": [0.0], "b": [0.5]}), make_result([edited, make_scored_run("b", 1.0)])])
    assert (trend.shared, trend.left_out, means(trend)) == (("b",), 1, [(0.5, 1), (1.0, 1)])


def test_item_counts_only_if_all_experiments_have_scores_on_it() -> None:
    failing = make_result(
        [make_scored_run("a", 1.0), make_failed_run("b"), make_scored_run("c", Score.skip("no calls"))]
    )
    trend = measure_trend([make_result({"a": [0.0], "b": [0.5], "c": [1.0]}), failing])
    assert trend.shared == ("a", "b", "c")
    assert means(trend) == [(0.0, 1), (1.0, 1)]
    assert [experiment.errors for experiment in trend.experiments] == [0, 1]


def test_errors_are_those_on_shared_items() -> None:
    trend = measure_trend([make_result({"a": [1.0]}), make_result([make_scored_run("a", 1.0), make_failed_run("new")])])
    assert [experiment.errors for experiment in trend.experiments] == [0, 0]


def test_experiment_without_an_evaluator_does_not_hide_the_others() -> None:
    def make(*names: str) -> ExperimentResult:
        return make_result([make_scored_run("a", 1.0, name=name) for name in names])

    trend = measure_trend([make("own"), make("own", "later"), make("later")])
    assert [each.evaluator for each in trend.evaluators] == ["own", "later"]
    assert means(trend, "own") == [(1.0, 1), (1.0, 1), None]
    assert means(trend, "later") == [None, (1.0, 1), (1.0, 1)]


def test_evaluator_that_was_changed_is_marked() -> None:
    first, second = make_result([make_scored_run("a", 1.0)]), make_result([make_scored_run("a", 1.0, version=2)])
    assert [each.is_same_form for each in measure_trend([first, second]).evaluators] == [False]
    assert [each.is_same_form for each in measure_trend([first, first]).evaluators] == [True]


def test_experiments_without_shared_items_have_no_figures() -> None:
    trend = measure_trend([make_result({"a": [1.0]}), make_result({"b": [1.0]})])
    assert (trend.shared, trend.left_out, trend.evaluators) == ((), 2, ())


def test_experiments_of_a_store_have_their_ids_and_datasets() -> None:
    about = {"dataset": "refunds", "dataset_version": 2}
    results = [make_result({"a": [1.0]}, "nightly", experiment_id=id_ * 32, **about) for id_ in "ab"]
    experiments = measure_trend(results).experiments
    assert [(each.name, each.experiment_id, each.dataset) for each in experiments] == [
        ("nightly (aaaaaaaa)", "a" * 32, "refunds, version 2"),
        ("nightly (bbbbbbbb)", "b" * 32, "refunds, version 2"),
    ]


def test_one_experiment_is_no_trend() -> None:
    with pytest.raises(ValueError, match="a trend needs at least two experiments"):
        measure_trend([make_result({"a": [1.0]})])
