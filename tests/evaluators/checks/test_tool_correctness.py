"""Were the expected tools called? By name, by order, by arguments."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import expect_calls, make_run

from tracegrade.evaluators.checks.tool_correctness import ToolCorrectness
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, Score, ToolCall

CALLS = st.lists(
    st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 1))), max_size=5
)


def score_calls(actual: str | list[Any], expected: str | list[Any] | None, **options: Any) -> Score:
    return ToolCorrectness(**options)(make_run(actual, expected))


@pytest.mark.parametrize(
    ("actual", "expected", "names_only", "names_and_order", "names_and_args"),
    [
        pytest.param("", "", 1, 1, 1, id="nothing was expected and nothing called"),
        pytest.param("a", "", 0, 0, 0, id="a call that nobody expected"),
        pytest.param("", "a", 0, 0, 0, id="a call that is missing"),
        pytest.param("ab", "ab", 1, 1, 1, id="as expected"),
        pytest.param("ba", "ab", 1, 1 / 2, 1, id="in another order"),
        pytest.param("aab", "ab", 1, 2 / 3, 4 / 5, id="once too often"),
        pytest.param("axb", "ab", 4 / 5, 2 / 3, 4 / 5, id="with one in between"),
    ],
)
def test_each_reading_sees_what_it_looks_at(
    actual: str, expected: str, names_only: float, names_and_order: float, names_and_args: float
) -> None:
    assert score_calls(actual, expected).value == names_only
    assert score_calls(actual, expected, mode="names_and_order").value == names_and_order
    assert score_calls(actual, expected, mode="names_and_args").value == names_and_args


def test_trace_without_a_reference_is_skipped() -> None:
    score = score_calls("a", None)
    assert (score.status, score.value, score.reason) == ("skipped", None, "no expected tool calls")


def test_calls_that_were_not_recorded_are_not_missing_calls() -> None:
    reference = expect_calls("a")
    run = AgentTrace(reference=reference, gaps=("content_not_captured",))
    assert ToolCorrectness()(run).reason == "tool calls were not recorded (content_not_captured)"


@pytest.mark.parametrize(
    ("actual", "expected", "explanation"),
    [
        pytest.param("aab", "ab", "called another number of times: a", id="once too often"),
        pytest.param("aax", "ab", "missing: b; not expected: x; called another number of times: a", id="and others"),
        pytest.param("ba", "ab", "the right tools in another order", id="in another order"),
    ],
)
def test_explanation_tells_order_from_number(actual: str, expected: str, explanation: str) -> None:
    assert score_calls(actual, expected, mode="names_and_order").explanation == explanation


def test_reference_about_something_else_is_skipped() -> None:
    assert ToolCorrectness()(AgentTrace(reference=Reference(expected_response="42"))).status == "skipped"


def test_explanation_names_what_is_missing_and_what_is_too_much() -> None:
    score = score_calls("axyzuv", "abc")
    assert score.explanation == "missing: b, c; not expected: x, y, z and 2 more"
    assert score.details == {"correct": ["a"], "redundant": [*"xyzuv"], "missing": ["b", "c"]}


def test_explanation_tells_other_arguments_and_that_nothing_was_expected() -> None:
    twice = score_calls([("refund", {"x": 2}), ("refund", {})], [("refund", {"x": 1})], mode="names_and_args")
    assert twice.explanation == "refund was called with other arguments; not expected: refund"
    assert score_calls("a", "").explanation == "no call was expected; called: a"


def test_explanation_of_a_wrong_order_says_so() -> None:
    assert score_calls("ba", "ab", mode="names_and_order").explanation == "the right tools in another order"


def test_pairing_is_the_best_there_is_not_the_first_that_fits() -> None:
    expected = [("a", {}), ("a", {"x": 1})]
    actual = [("a", {"x": 1}), ("a", {})]
    assert score_calls(actual, expected, mode="names_and_args", argument_matcher="subset").value == 1


def test_arguments_that_were_not_recorded_leave_the_score_open() -> None:
    trace = AgentTrace(
        tool_calls=(ToolCall(name="a"),), reference=Reference(expected_tool_calls=(ExpectedCall(name="a", args={}),))
    )
    assert ToolCorrectness()(trace).value == 1
    assert ToolCorrectness(mode="names_and_args")(trace).reason == "the arguments of a (call 0) were not recorded"


def test_too_many_calls_are_skipped_with_the_reason() -> None:
    score = score_calls("ab" * 1_500, "ba" * 1_500, mode="names_and_order")
    assert score.status == "skipped"
    assert "3,000 calls against 3,000 are too many" in str(score.reason)


@given(CALLS, CALLS, st.randoms())
def test_order_never_changes_an_unordered_score(actual: list[Any], expected: list[Any], shuffle: Any) -> None:
    for mode in ("names_only", "names_and_args"):
        before = score_calls(actual, expected, mode=mode, argument_matcher="subset").value
        shuffle.shuffle(actual)
        shuffle.shuffle(expected)
        assert score_calls(actual, expected, mode=mode, argument_matcher="subset").value == before
