"""Dokimos on the calls that were made: its numbers, its oddities, and what is skipped where it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import make_run

from tracegrade.evaluators.catalog.configure import catalogue, configure
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.model import ExpectedCall, JsonObject, Score, ToolCall

NAMES = [name for name in catalogue() if name.startswith("dokimos:")]
THRESHOLDS = {
    "task_completion": 0.5,
    "tool_argument_hallucination": 0.8,
    "tool_description_reliability": 0.8,
    "tool_name_reliability": 0.8,
}
MODES = ("STRICT", "IN_ORDER", "ANY_ORDER", "SUPERSET", "SUBSET", "PRECISION", "RECALL")
ARGS = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 1), max_size=3)
CALLS = st.lists(st.tuples(st.sampled_from("ab"), ARGS), max_size=6)


def score_calls(name: str, actual: Any, expected: Any = None, /, **options: Any) -> Score:
    score = configure(f"dokimos:{name}", options=options).function(make_run(actual, expected))
    assert isinstance(score, Score)
    return score


def returned(*results: str | None, **options: Any) -> Score:
    return score_calls("tool_error", [ToolCall(name="t", result=result) for result in results], **options)


def has_api(result: str) -> bool:
    return "api" in result


@pytest.mark.parametrize("name", NAMES)
def test_every_evaluator_says_what_it_reads_and_when_it_is_skipped(name: str) -> None:
    definition = catalogue()[name]
    assert definition.summary
    assert definition.source.startswith("Dokimos ")
    assert definition.skipped_when
    assert definition.threshold == THRESHOLDS.get(name.removeprefix("dokimos:"), 1.0)


@pytest.mark.parametrize("name", ["tool_trajectory", "tool_correctness", "tool_efficiency", "tool_error"])
def test_call_with_a_blank_name_is_refused(name: str) -> None:
    assert score_calls(name, ["a", "\u2003"], ["a"]).reason == "call 1 has a blank name"


@pytest.mark.parametrize("name", ["tool_trajectory", "tool_correctness"])
def test_without_a_reference_there_is_nothing_to_compare(name: str) -> None:
    assert score_calls(name, ["a"]).reason == "no expected tool calls"


@pytest.mark.parametrize("name", ["tool_efficiency", "tool_error"])
def test_run_without_calls_is_perfect(name: str) -> None:
    assert score_calls(name, []).value == 1


@pytest.mark.parametrize(
    ("actual", "expected", "scores"),
    [
        pytest.param("", "", (1, 1, 1, 1, 1, 1, 1), id="two empty lists"),
        pytest.param("", "a", (0, 0, 0, 0, 1, 0, 0), id="nothing called"),
        pytest.param("a", "", (0, 0, 0, 1, 0, 0, 0), id="nothing expected"),
        pytest.param("cba", "abc", (0, 1 / 3, 1, 1, 1, 1, 1), id="backwards"),
        pytest.param("axb", "ab", (0, 2 / 3, 2 / 3, 1, 0, 2 / 3, 1), id="one too many"),
        pytest.param("aab", "aba", (0, 2 / 3, 1, 1, 1, 1, 1), id="repeats in another place"),
    ],
)
def test_a_mode_decides_what_a_difference_costs(actual: str, expected: str, scores: tuple[float, ...]) -> None:
    values = [score_calls("tool_trajectory", actual, expected, match_mode=mode).value for mode in MODES]
    assert values == pytest.approx(list(scores))


def test_trajectory_tells_what_dokimos_tells() -> None:
    score = score_calls("tool_trajectory", "axb", "abc")
    assert score.details == {
        "match_mode": "IN_ORDER",
        "matched_count": 2,
        "actual_count": 3,
        "expected_count": 3,
        "actual_tools": ["a", "x", "b"],
        "expected_tools": ["a", "b", "c"],
    }
    assert score.explanation == "2 of 3 expected calls matched; missing: c"


def test_strict_trajectory_that_differs_counts_no_match() -> None:
    assert score_calls("tool_trajectory", "abx", "abc", match_mode="STRICT").details["matched_count"] == 0


def test_expected_tool_may_have_a_matcher_of_its_own() -> None:
    actual, expected = [("page", {"n": 1, "size": 9}), ("a", {"n": 1, "m": 2})], [("page", {"n": 1}), ("a", {"n": 1})]
    assert score_calls("tool_trajectory", actual, expected, per_tool_matchers={"page": "SUBSET"}).value == 0.5


@pytest.mark.parametrize("word", ["in_order", "LCS"])
def test_modes_are_written_as_dokimos_writes_them(word: str) -> None:
    with pytest.raises(WrongOptions, match="match_mode"):
        configure("dokimos:tool_trajectory", options={"match_mode": word})


@pytest.mark.parametrize("options", [{}, {"match_mode": "ANY_ORDER"}])
def test_arguments_that_were_not_recorded_leave_the_trajectory_open(options: JsonObject) -> None:
    score = score_calls("tool_trajectory", [ToolCall(name="a")], [("a", {"q": 1})], **options)
    assert score.reason == "the arguments of a (call 0) were not recorded"
    assert score_calls("tool_trajectory", [ToolCall(name="a")], [ExpectedCall(name="a")], **options).value == 1
    ignoring = score_calls("tool_trajectory", [ToolCall(name="a")], ["a"], argument_matcher="IGNORE", **options)
    assert ignoring.value == 1


def test_arguments_that_are_no_object_are_never_the_expected_ones() -> None:
    call = ToolCall(name="a", args_text="oops")
    assert score_calls("tool_trajectory", [call], ["a"]).value == 0
    assert score_calls("tool_correctness", [call], ["a"], match_mode="NAMES_AND_ARGS").value == 0


@pytest.mark.parametrize(
    ("name", "mode"), [("tool_trajectory", "ANY_ORDER"), ("tool_correctness", "NAMES_AND_ARGS")], ids=lambda it: it
)
def test_too_many_calls_are_skipped_with_the_reason(name: str, mode: str) -> None:
    many = ["a"] * 2_000
    assert "too many to compare" in str(score_calls(name, many, many, match_mode=mode).reason)


def test_names_alone_are_sets() -> None:
    score = score_calls("tool_correctness", "aaxb", "abc")
    assert score.value == pytest.approx(2 / 3)
    assert score.details == {"correct_tools": ["a", "b"], "redundant_tools": ["x"], "missing_tools": ["c"]}
    assert score.explanation == "missing: c; not expected: x"


def test_names_in_order_are_a_subsequence_of_the_longer_list() -> None:
    score = score_calls("tool_correctness", "aba", "aab", match_mode="NAMES_AND_ORDER")
    assert score.value == pytest.approx(2 / 3)
    assert score.details == {"lcs_length": 2, "redundant_tools": [], "missing_tools": []}


def test_correctness_takes_the_first_fit_where_the_trajectory_takes_the_best() -> None:
    actual = [("page", {"n": 1, "size": 9}), ("page", {"n": 1})]
    expected = [("page", {"n": 1}), ("page", {"n": 1, "size": 9})]
    greedy = score_calls("tool_correctness", actual, expected, match_mode="NAMES_AND_ARGS", argument_matcher="SUBSET")
    best = score_calls("tool_trajectory", actual, expected, match_mode="ANY_ORDER", argument_matcher="SUBSET")
    assert (greedy.value, best.value) == (0.5, 1)
    assert greedy.details == {"matched_count": 1}


def test_f1_rounds_as_dokimos_does() -> None:
    actual, expected = [*"aaaaaaa", *"xxx"], [*"aaaaaaa", *"yyy"]
    value = score_calls("tool_correctness", actual, expected, match_mode="NAMES_AND_ARGS").value
    assert value == 2 * 0.7 * 0.7 / (0.7 + 0.7)


@given(CALLS, CALLS, st.sampled_from(["EXACT", "SUBSET", "SUPERSET", "IGNORE"]))
def test_first_fit_is_never_better_than_the_best_pairing(actual: Any, expected: Any, matcher: str) -> None:
    options = {"argument_matcher": matcher}
    greedy = score_calls("tool_correctness", actual, expected, match_mode="NAMES_AND_ARGS", **options)
    best = score_calls("tool_trajectory", actual, expected, match_mode="ANY_ORDER", **options)
    assert greedy.details.get("matched_count", 0) <= best.details["matched_count"]


def test_distinct_calls_over_all_calls() -> None:
    score = score_calls("tool_efficiency", "aabaa")
    assert score.value == 0.4
    assert score.details == {
        "total_calls": 5,
        "distinct_calls": 2,
        "redundant_calls": ["a", "a", "a"],
        "consecutive_duplicates": ["a", "a"],
    }


def test_retry_of_a_failure_is_redundant() -> None:
    calls = [ToolCall(name="a", args={}, result='{"error": 1}', status="error"), ToolCall(name="a", args={})]
    assert score_calls("tool_efficiency", calls).value == 0.5


@pytest.mark.parametrize(("matcher", "values"), [("SUBSET", (1 / 3, 1)), ("SUPERSET", (1, 1 / 3))])
def test_order_decides_where_a_matcher_is_not_symmetric(matcher: str, values: tuple[float, float]) -> None:
    chain = [("a", {"x": 1}), ("a", {"x": 1, "y": 2}), ("a", {"x": 1, "y": 2, "z": 3})]
    scores = [score_calls("tool_efficiency", calls, argument_matcher=matcher).value for calls in (chain, chain[::-1])]
    assert scores == pytest.approx(list(values))


def test_arguments_that_were_not_recorded_matter_where_a_tool_was_called_again() -> None:
    unrecorded = ToolCall(name="a")
    assert score_calls("tool_efficiency", [unrecorded, "b", "b"]).value == pytest.approx(2 / 3)
    assert score_calls("tool_efficiency", ["a", unrecorded]).reason == "the arguments of a (call 1) were not recorded"
    assert score_calls("tool_efficiency", ["a", unrecorded], argument_matcher="IGNORE").value == 0.5


def test_arguments_that_are_no_object_repeat_each_other_letter_by_letter() -> None:
    calls = [ToolCall(name="a", args_text=text) for text in ("x", "x", "y")]
    assert score_calls("tool_efficiency", [*calls, "a"]).value == 0.75


def test_loop_is_walked_however_long_and_many_different_calls_are_refused() -> None:
    assert score_calls("tool_efficiency", ["a"] * 5_000).value == pytest.approx(1 / 5_000)
    different = [("a", {"n": number}) for number in range(2_000)]
    assert "too many to compare" in str(score_calls("tool_efficiency", different).reason)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        pytest.param("done", "", id="text"),
        pytest.param("Error: boom", "", id="text about an error"),
        pytest.param(" \u2003\n", "blank", id="white space"),
        pytest.param("\u00a0", "", id="a no-break space"),
        pytest.param('{"error": "x"}', "json_error", id="an error"),
        pytest.param('{"error": false}', "json_error", id="no error, said so"),
        pytest.param('{"error": null}', "", id="null"),
        pytest.param('{"error": null, "error": 0}', "json_error", id="the last of two"),
        pytest.param('{"\\u0065rror": []}', "json_error", id="in disguise"),
        pytest.param('\n{"error": "x"} and more', "json_error", id="with a tail"),
        pytest.param('\ufeff{"error": "x"}', "", id="with a byte order mark"),
        pytest.param('[{"error": "x"}]', "", id="in a list"),
        pytest.param('{"data": {"error": "x"}}', "", id="further down"),
        pytest.param('{"isError": true}', "", id="of MCP"),
        pytest.param('{"error": NaN}', "", id="no JSON"),
        pytest.param('{"error": ' + "9" * 10_000 + "}", "json_error", id="a long number"),
        pytest.param('{"error": ' + "[" * 100_000, "", id="deep"),
    ],
)
def test_one_result(result: str, reason: str) -> None:
    score = returned(result)
    assert score.value == float(not reason)
    assert score.details["results"] == [{"tool_name": "t", "errored": bool(reason), "reason": reason}]


def test_detectors_can_be_switched_off() -> None:
    assert returned("", treat_blank_as_error=False).value == 1
    assert returned('{"error": 1}', detect_json_error_field=False).value == 1


def test_custom_detector_is_asked_of_everything_but_blank_results() -> None:
    score = returned("api down", " ", "fine", error_detector=has_api, treat_blank_as_error=False)
    assert score.value == pytest.approx(2 / 3)
    assert score.explanation == "1 of 3 calls failed: t"


def test_result_that_was_not_recorded_is_left_out() -> None:
    score = returned(None, "", "done")
    assert score.value == 0.5
    assert score.details["results"][0]["errored"] is None
    assert "(1 result not recorded)" in str(score.explanation)
    assert returned(None).reason == "no result of a tool call was recorded"


def test_call_that_ended_in_an_error_and_left_no_result_is_blank() -> None:
    call = ToolCall(name="t", status="error", error="timeout")
    assert score_calls("tool_error", [call]).value == 0
    assert score_calls("tool_error", [call], treat_blank_as_error=False).value == 1
