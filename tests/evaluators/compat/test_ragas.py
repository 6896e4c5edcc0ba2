"""Ragas' metrics of tool calls: what they count, what they do oddly, and when they say nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import make_run

from tracegrade.evaluators.compat.ragas import ToolCallAccuracy, ToolCallF1
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Score, ToolCall

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 1) | st.sampled_from(["1", "True", "None", 1.0, 0.5, float("nan")]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=4,
)
CALLS = st.lists(st.tuples(st.sampled_from("ab"), st.dictionaries(st.sampled_from("xy"), VALUES)), max_size=5)


def accuracy(actual: Any, expected: Any, **options: Any) -> Score:
    return ToolCallAccuracy(**options)(make_run(actual, expected))


def f1(actual: Any, expected: Any) -> Score:
    return ToolCallF1()(make_run(actual, expected))


@pytest.mark.parametrize(
    ("actual", "expected", "strict", "flexible"),
    [
        pytest.param("", "", 1, 1, id="two empty lists"),
        pytest.param("", "a", 0, 0, id="nothing called"),
        pytest.param("a", "", 0, 0, id="nothing expected"),
        pytest.param("ab", "ab", 1, 1, id="as expected"),
        pytest.param("ba", "ab", 0, 1, id="in another order"),
        pytest.param("aba", "ab", 0, 0, id="one too many"),
        pytest.param("a", "ab", 0, 0, id="one too few"),
    ],
)
def test_accuracy_needs_the_tools_of_the_reference(actual: str, expected: str, strict: float, flexible: float) -> None:
    assert accuracy(actual, expected).value == strict
    assert accuracy(actual, expected, strict_order=False).value == flexible


def test_accuracy_is_the_mean_share_of_expected_arguments_and_further_ones_are_free() -> None:
    score = accuracy(
        [("a", {"x": 1, "y": 9, "z": 3}), ("b", {"q": 1})],
        [("a", {"x": 1, "y": 2}), ("b", {"q": 1})],
    )
    assert score.value == 0.75
    assert score.details["argument_scores"] == [0.5, 1.0]
    assert score.explanation == "arguments differ: a"


def test_any_argument_costs_a_call_that_was_expected_without() -> None:
    assert accuracy([("a", {"x": 1})], ["a"]).value == 0


@pytest.mark.parametrize(
    ("actual", "expected", "by_text", "by_type"),
    [
        pytest.param("1", 1, 1, 0, id="number and its text"),
        pytest.param(1.0, 1, 0, 1, id="whole number as a float"),
        pytest.param("None", None, 1, 0, id="null and the word None"),
        pytest.param("true", True, 0, 0, id="boolean and JSON's word for it"),
        pytest.param(True, 1, 0, 0, id="boolean and one"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, 0, 1, id="keys in another order"),
        pytest.param("[1, 2]", [1, 2], 1, 0, id="list and its text"),
    ],
)
def test_accuracy_compares_texts_unless_asked_for_types(
    actual: object, expected: object, by_text: float, by_type: float
) -> None:
    calls = [("a", {"x": actual})], [("a", {"x": expected})]
    assert accuracy(*calls).value == by_text
    assert accuracy(*calls, typed=True).value == by_type


def test_calls_out_of_order_are_paired_by_their_sorted_texts_even_where_another_pairing_is_better() -> None:
    actual = [("s", {"a": 2, "z": 1}), ("s", {"b": 1})]
    expected = [("s", {"b": 1}), ("s", {"a": 1, "z": 1})]
    assert accuracy(actual, expected, strict_order=False).value == 0.75
    assert accuracy([("s", {"n": 10}), ("s", {"n": 9})], [("s", {"n": 9}), ("s", {"n": 10})]).value == 0


def test_f1_of_two_empty_sets_is_zero() -> None:
    assert f1("", "").value == 0


@pytest.mark.parametrize(
    ("actual", "expected", "value"),
    [
        pytest.param("abc", "ab", 0.8, id="one too many"),
        pytest.param("aab", "ab", 1, id="repeats vanish"),
        pytest.param("ba", "ab", 1, id="order is nothing"),
        pytest.param("abcdef", "a", 0.2857, id="four digits"),
        pytest.param([("a", {"x": True})], [("a", {"x": 1.0})], 1, id="true is one"),
        pytest.param([("a", {"x": [{}, 1]})], [("a", {"x": [{}, "1"]})], 0, id="one is not its text"),
        pytest.param([("a", {"x": {"p": 1, "q": []}})], [("a", {"x": {"q": [], "p": 1}})], 1, id="keys in any order"),
        pytest.param([("a", {"x": float("nan")})], [("a", {"x": float("nan")})], 0, id="NaN equals nothing"),
    ],
)
def test_f1_is_of_sets_of_whole_calls(actual: Any, expected: Any, value: float) -> None:
    assert f1(actual, expected).value == value


def test_f1_names_what_differs_and_no_arguments() -> None:
    score = f1([("a", {"key": "secret"})], [("b", {"key": "hidden"})])
    assert score.explanation == "missing: b; not expected: a"
    assert "secret" not in score.model_dump_json()
    assert (score.details["true_positives"], score.details["false_positives"]) == (0, 1)


@pytest.mark.parametrize("metric", [ToolCallAccuracy(), ToolCallF1()], ids=["accuracy", "f1"])
def test_what_was_not_recorded_is_skipped(metric: Any) -> None:
    assert metric(AgentTrace()).reason == "no expected tool calls"
    lacking = make_run([ToolCall(name="a")], [("a", {"x": 1})])
    assert metric(lacking).reason == "the arguments of a (call 0) were not recorded"


@pytest.mark.parametrize("metric", [ToolCallAccuracy(), ToolCallF1()], ids=["accuracy", "f1"])
def test_tool_that_is_expected_with_any_arguments_needs_none_recorded(metric: Any) -> None:
    assert metric(make_run([ToolCall(name="a")], [ExpectedCall(name="a")])).value == 1


@pytest.mark.parametrize("metric", [ToolCallAccuracy(), ToolCallF1()], ids=["accuracy", "f1"])
def test_arguments_that_are_no_object_are_never_the_expected_ones(metric: Any) -> None:
    assert metric(make_run([ToolCall(name="a", args_text="oops")], [("a", {"x": 1})])).value == 0


def test_unrecorded_arguments_do_not_matter_to_accuracy_when_the_tools_are_others_anyway() -> None:
    assert accuracy([ToolCall(name="a")], [("b", {"x": 1})]).value == 0


def test_arguments_that_python_cannot_compare_are_skipped() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    nested = [("a", {"x": deep})]
    assert accuracy(nested, nested).reason == "arguments are nested too deeply to be compared"
    assert f1(nested, nested).reason == "arguments are nested too deeply to be compared"
    huge = [("a", {"x": 10**5000})]
    assert accuracy(huge, huge).reason == "arguments have integers with more digits than Python writes"
    assert f1(huge, huge).value == 1


@given(CALLS, CALLS)
def test_order_never_matters_where_it_should_not(actual: Any, expected: Any) -> None:
    assert f1(actual, expected).value == f1(actual[::-1], expected[::-1]).value
    if accuracy(actual, expected, strict_order=False).value == 0:
        assert accuracy(actual, expected[::-1], strict_order=False).value == 0


@given(CALLS)
def test_a_run_is_as_accurate_as_itself(calls: Any) -> None:
    assert accuracy(calls, calls).value == 1
    assert accuracy(calls, calls, typed=True).value == 1
    assert accuracy(calls[::-1], calls, strict_order=False).value == 1
