"""What people read of an experiment and of a comparison."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from tests.support.experiments import make_failed_run, make_item, make_result, make_scored_run

from tracegrade.evaluators.experiments.comparison import compare_experiments
from tracegrade.evaluators.experiments.trend import measure_trend
from tracegrade.evaluators.model import Score
from tracegrade.evaluators.ports import Deferred


def test_result_is_shown_with_intervals_and_causes_of_errors() -> None:
    runs = [make_scored_run(str(number), number % 2) for number in range(8)]
    result = make_result(
        [*runs, make_scored_run("none", Score.skip("no calls")), make_failed_run("x"), make_failed_run("y")], "new"
    )
    assert str(result).splitlines() == [
        "new: 11 items, 11 runs, 2 errors",
        "evaluator  mean                 pass rate            skipped  failed",
        "own        0.50 (0.13 to 0.87)  40 % (17 % to 69 %)  1        0",
        "2 runs failed, and did not pass: LookupError: no hotel",
    ]


def test_result_of_repeats_has_the_highest_pass_hat() -> None:
    assert str(make_result({"a": [1.0, 1.0], "b": [1.0, 0.0]}, "twice")).splitlines() == [
        "twice: 2 items, 4 runs, 0 errors",
        "evaluator  mean                 pass rate            pass^2              skipped  failed",
        "own        0.75 (0.26 to 1.00)  75 % (20 % to 97 %)  50 % (9 % to 91 %)  0        0",
    ]


def test_result_without_scores_says_so() -> None:
    result = make_result([make_scored_run("a", Score.skip("no calls"))])
    assert str(result).splitlines()[-1].split() == ["own", "-", "-", "1", "0"]


def test_deferred_evaluations_are_counted_by_reason() -> None:
    reasons = ["judge 'default' is busy: 429", "the budget is spent", "the budget is spent"]
    deferred = [
        Deferred("own", "run", until=datetime(2026, 3, 2), reason=reason, kind="budget")  # noqa: DTZ001 - UTC
        for reason in reasons
    ]
    runs = [replace(make_scored_run(str(number)), deferred=(each,)) for number, each in enumerate(deferred)]
    result = make_result(runs)
    assert str(result).splitlines()[-2:] == [
        "2 evaluations deferred: the budget is spent",
        "1 evaluation deferred: judge 'default' is busy: 429",
    ]
    assert result.deferred == tuple(deferred)


def test_comparison_is_shown_with_flips_and_what_was_not_compared() -> None:
    before = make_result({"a": [1.0], "b": [0.0], "gone": [1.0], "edited": [1.0]}, "old")
    edited = replace(make_scored_run("edited", 1.0), item=make_item("edited", "other"))
    after = make_result([make_scored_run("a", 0.0), make_scored_run("b", 1.0), edited, make_failed_run("c")], "new")
    text = str(compare_experiments(before, after))
    assert text.splitlines()[:2] == [
        "old → new: 2 items in both",
        "not compared: 1 only before, 1 only after, 1 with another input or expectation",
    ]
    assert "0.50 → 0.50 (-1.96 to +1.96)" in text
    assert "50 % → 50 %" in text
    assert "worse by own: a (1/1 → 0/1)" in text
    assert "better by own: b (0/1 → 1/1)" in text


def test_comparison_names_errors_and_evaluators_that_differ() -> None:
    before = make_result([make_scored_run("a", 1.0), make_scored_run("a", 1.0, name="other"), make_failed_run("b")])
    after = make_result([make_scored_run("a", 1.0, config_hash="new"), make_scored_run("b", 1.0)])
    text = str(compare_experiments(before, after))
    assert "own (configured differently)" in text
    assert "only in one of them: other" in text
    assert "repaired: b" in text


def test_comparison_names_versions_of_a_dataset_that_differ() -> None:
    before, after = (
        make_result({"a": [1.0]}, name, dataset="refunds", dataset_version=len(name)) for name in ("v", "w2")
    )
    assert str(compare_experiments(before, after)).splitlines()[1] == (
        "datasets: refunds, version 1 → refunds, version 2; items with other inputs or expectations are left out"
    )


def test_result_of_an_interrupted_experiment_says_so() -> None:
    assert str(make_result({"a": [1.0]}, ended_at=None)).splitlines()[1] == (
        "it has not ended: it is in progress, or was interrupted"
    )


def test_trend_is_shown_by_evaluator_and_experiment() -> None:
    first = make_result([make_scored_run("a", 0.0), make_scored_run("b", 0.5), make_failed_run("c")], "old")
    second = make_result([make_scored_run("a", 1.0), make_scored_run("b", 0.5), make_scored_run("c", 1.0)], "new")
    assert str(measure_trend([first, second])).splitlines() == [
        "2 experiments: 3 items in all of them",
        "evaluator  experiment  began (UTC)          mean                 pass rate            items    errors",
        "own        old         2026-01-01 12:00:00  0.25 (0.00 to 0.74)  0 % (0 % to 56 %)    2 and 3  1",
        "           new         2026-01-01 12:00:00  0.75 (0.26 to 1.00)  67 % (21 % to 94 %)  2 and 3  0",
    ]


def test_trend_names_datasets_left_out_items_and_other_configurations() -> None:
    first = make_result([make_scored_run("a", 1.0), make_scored_run("b", 1.0)], dataset="refunds", dataset_version=1)
    second = make_result([make_scored_run("a", 1.0, config_hash="other"), make_scored_run("d", 1.0)])
    assert [" ".join(line.split()) for line in str(measure_trend([first, second])).splitlines()] == [
        "2 experiments: 1 item in all of them, 2 others left out",
        "evaluator experiment began (UTC) dataset mean pass rate items errors",
        "own (configured differently) experiment 2026-01-01 12:00:00 refunds, version 1 1.00 100 % (21 % to 100 %) 1 0",
        "experiment 2026-01-01 12:00:00 - 1.00 100 % (21 % to 100 %) 1 0",
    ]
