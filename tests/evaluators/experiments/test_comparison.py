"""Two experiments are compared item by item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.support.experiments import make_failed_run, make_item, make_result, make_scored_run

from tracegrade.evaluators.experiments.comparison import compare_experiments


def test_means_and_pass_rates_are_compared_pair_by_pair() -> None:
    before = make_result({str(number): [0.4 + number / 50] for number in range(20)}, "before")
    after = make_result({str(number): [0.5 + number / 50] for number in range(20)}, "after")
    comparison = compare_experiments(before, after)
    (own,) = comparison.evaluators
    assert (comparison.before, comparison.after, comparison.has_same_items) == ("before", "after", True)
    assert own.mean is not None
    assert own.mean.change == pytest.approx(0.1)
    assert own.mean.interval is not None
    assert (own.mean.interval.low, own.mean.interval.high) == pytest.approx((0.1, 0.1)), "each item has changed alike"
    assert own.pass_rate is not None
    assert (own.pass_rate.before, own.pass_rate.after) == (0, 0)


def test_items_that_pass_on_one_side_only_are_flips() -> None:
    before = make_result({"same": [1.0], "broke": [1.0, 1.0], "healed": [0.0], "bad": [0.5]})
    after = make_result({"same": [1.0], "broke": [1.0, 0.0], "healed": [1.0], "bad": [0.6]})
    (own,) = compare_experiments(before, after).evaluators
    flips = [(flip.item_id, flip.direction, flip.before, flip.after) for flip in own.flips]
    assert flips == [("broke", "worse", (2, 2), (1, 2)), ("healed", "better", (0, 1), (1, 1))]


def test_only_items_with_the_same_content_on_both_sides_are_compared() -> None:
    before = make_result({"both": [1.0], "gone": [0.0], "edited": [0.0]})
    new = [replace(make_scored_run("edited", 1.0), item=make_item("edited", "other")), make_scored_run("new", 1.0)]
    after = make_result([make_scored_run("both", 1.0), *new])
    comparison = compare_experiments(before, after)
    assert (comparison.shared, comparison.only_before, comparison.only_after, comparison.changed) == (
        ("both",),
        ("gone",),
        ("new",),
        ("edited",),
    )
    assert not comparison.has_same_items
    assert comparison.evaluators[0].mean is not None
    assert (comparison.evaluators[0].mean.before, comparison.evaluators[0].mean.items) == (1.0, 1)


def test_item_with_other_tags_is_compared() -> None:
    tagged = replace(make_scored_run("a", 1.0), item=make_item("a").model_copy(update={"tags": ("slow",)}))
    comparison = compare_experiments(make_result({"a": [0.0]}), make_result([tagged]))
    assert (comparison.shared, comparison.changed) == (("a",), ())


def test_experiments_without_shared_items_have_no_difference() -> None:
    comparison = compare_experiments(make_result({"a": [1.0]}), make_result({"b": [1.0]}))
    (own,) = comparison.evaluators
    assert (comparison.shared, own.mean, own.pass_rate, own.flips) == ((), None, None, ())


def test_task_that_fails_later_lowers_the_pass_rate_and_is_a_flip() -> None:
    before = make_result({"a": [1.0], "b": [1.0]})
    after = make_result([make_failed_run("a"), make_scored_run("b", 1.0)])
    (own,) = compare_experiments(before, after).evaluators
    assert own.pass_rate is not None
    assert (own.pass_rate.before, own.pass_rate.after, own.pass_rate.items) == (1.0, 0.5, 2)
    assert own.mean is not None
    assert (own.mean.change, own.mean.items) == (0, 1)
    assert [(flip.item_id, flip.direction) for flip in own.flips] == [("a", "worse")]


def test_evaluator_that_scored_no_run_of_one_side_is_on_both() -> None:
    before = make_result({"a": [1.0]}, evaluator_names=("own",))
    after = make_result([make_failed_run("a")], evaluator_names=("own",))
    comparison = compare_experiments(before, after)
    assert comparison.one_sided == ()
    assert [(each.evaluator, each.is_same_form) for each in comparison.evaluators] == [("own", True)]


def test_items_with_an_error_on_one_side_are_named() -> None:
    before = make_result([make_scored_run("a", 1.0), make_failed_run("b"), make_failed_run("c")])
    after = make_result([make_failed_run("a"), make_scored_run("b", 1.0), make_failed_run("c")])
    comparison = compare_experiments(before, after)
    assert (comparison.broken, comparison.repaired) == (("a",), ("b",))


def test_evaluators_of_one_side_only_and_of_another_form_are_told() -> None:
    before = make_result([make_scored_run("a", 1.0), make_scored_run("a", 1.0, name="old")])
    after = make_result([make_scored_run("a", 1.0, config_hash="other"), make_scored_run("a", 1.0, name="new")])
    comparison = compare_experiments(before, after)
    assert comparison.one_sided == ("old", "new")
    assert [(each.evaluator, each.is_same_form) for each in comparison.evaluators] == [("own", False)]


def test_datasets_that_differ_are_named() -> None:
    about: dict[str, Any] = {"dataset": "refunds", "dataset_version": 3}
    before = make_result({"a": [1.0]}, **about)
    others = {
        "newer version": make_result({"a": [1.0]}, dataset="refunds", dataset_version=4),
        "same": make_result({"a": [1.0]}, **about),
        "in memory": make_result({"a": [1.0]}),
    }
    assert {name: compare_experiments(before, after).datasets for name, after in others.items()} == {
        "newer version": ("refunds, version 3", "refunds, version 4"),
        "same": None,
        "in memory": None,
    }


def test_stored_experiments_of_one_name_are_told_apart_by_their_ids() -> None:
    before, after = (make_result({"a": [1.0]}, "new prompt", experiment_id=id_ * 32) for id_ in "ab")
    comparison = compare_experiments(before, after)
    assert (comparison.before, comparison.after) == ("new prompt (aaaaaaaa)", "new prompt (bbbbbbbb)")
    comparison = compare_experiments(before, make_result({"a": [1.0]}, "new prompt"))
    assert (comparison.before, comparison.after) == ("new prompt (aaaaaaaa)", "new prompt")
