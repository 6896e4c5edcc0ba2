"""What people read of an experiment and of a comparison."""

from __future__ import annotations

from dataclasses import replace

from tests.support.experiments import make_failed_run, make_item, make_result, make_scored_run

from tracegrade.evaluators.experiments.comparison import compare_experiments
from tracegrade.evaluators.model import Score


def test_result_is_shown_with_intervals_and_causes_of_errors() -> None:
    runs = [make_scored_run(str(number), number % 2) for number in range(8)]
    result = make_result(
        [*runs, make_scored_run("none", Score.skip("no calls")), make_failed_run("x"), make_failed_run("y")], "new"
    )
    assert str(result).splitlines() == [
        "new: 11 items, 11 runs, 2 errors",
        "evaluator  mean                 pass rate            skipped  failed",
        "own        0.50 (0.13 to 0.87)  50 % (22 % to 78 %)  1        0",
        "2 runs: LookupError: no hotel",
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


def test_comparison_is_shown_with_flips_and_what_was_not_compared() -> None:
    before = make_result({"a": [1.0], "b": [0.0], "gone": [1.0], "edited": [1.0]}, "old")
    edited = replace(make_scored_run("edited", 1.0), item=make_item("edited", "other"))
    after = make_result([make_scored_run("a", 0.0), make_scored_run("b", 1.0), edited, make_failed_run("c")], "new")
    text = str(compare_experiments(before, after))
    assert text.splitlines()[:2] == [
        "old → new: 2 items in both",
        "not compared: 1 only before, 1 only after, 1 with another content",
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
