"""Floeval's builtin tool metrics: names as sets, last calls only, and errors by their wording."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import make_run

from tracegrade.evaluators.compat.floeval import ToolArgumentCorrectness, ToolCallSuccessRate, ToolSelectionAccuracy
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall

NAMES = st.text("abc", max_size=6)


def arguments(actual: Any, expected: Any) -> Score:
    return ToolArgumentCorrectness()(make_run(actual, expected))


def answered(*results: str | None) -> Score:
    return ToolCallSuccessRate()(
        AgentTrace(tool_calls=tuple(ToolCall(name=f"tool_{at}", result=result) for at, result in enumerate(results)))
    )


@pytest.mark.parametrize(
    ("actual", "expected", "value"),
    [
        pytest.param("", "", 1, id="two empty lists"),
        pytest.param("", "a", 0, id="nothing called"),
        pytest.param("a", "", 0, id="nothing expected"),
        pytest.param("bbaa", "ab", 1, id="order and repeats are nothing"),
        pytest.param("axb", "ab", 0.8, id="one too many"),
        pytest.param("abcdef", "a", 0.2857, id="four digits"),
    ],
)
def test_selection_is_f1_of_the_sets_of_names(actual: str, expected: str, value: float) -> None:
    assert ToolSelectionAccuracy()(make_run(actual, expected)).value == value


def test_selection_names_what_is_missing_and_what_is_extra() -> None:
    score = ToolSelectionAccuracy()(make_run("ax", "ab"))
    assert score.explanation == "missing: b; not expected: x"
    assert (score.details["missing_tools"], score.details["extra_tools"]) == (["b"], ["x"])


@pytest.mark.parametrize(
    ("actual", "expected", "value"),
    [
        pytest.param(" PARIS", "Paris", 1, id="white space and capitals are nothing"),
        pytest.param("1", 1, 1, id="number and its text"),
        pytest.param(1.0, 1, 0, id="whole number as a float"),
        pytest.param("none", None, 1, id="null and the word none"),
        pytest.param(True, 1, 0, id="boolean and one"),
    ],
)
def test_arguments_are_compared_as_folded_texts(actual: object, expected: object, value: float) -> None:
    assert arguments([("a", {"x": actual})], [("a", {"x": expected})]).value == value


def test_argument_that_was_not_passed_equals_an_empty_text() -> None:
    assert arguments(["a"], [("a", {"x": "", "y": 1})]).value == 0.5


def test_only_the_last_call_of_a_tool_counts_on_either_side() -> None:
    score = arguments([("a", {"x": 9}), ("a", {"x": 2})], [("a", {"x": 1}), ("a", {"x": 2})])
    assert score.value == 1


def test_tools_on_one_side_only_cost_nothing_but_no_tool_on_both_sides_scores_zero() -> None:
    assert arguments("abx", "aby").value == 1
    assert arguments("a", "b").value == 0
    assert arguments("", "").value == 0


def test_arguments_beyond_those_expected_are_free() -> None:
    score = arguments([("a", {"x": 1, "y": 2}), ("b", {})], [("a", {"x": 1}), ("b", {"p": 1, "q": 1, "r": ""})])
    assert score.value == 0.6667
    assert score.details == {"per_tool": {"a": 1.0, "b": 0.3333}}
    assert score.explanation == "arguments differ: b"


@pytest.mark.parametrize(
    ("result", "value"),
    [
        pytest.param("18C, light rain", 1, id="an answer"),
        pytest.param("", 1, id="empty"),
        pytest.param(" ERROR: boom", 0, id="begins with a word for errors"),
        pytest.param("Traceback (most recent call last)" + " " * 300 + "x", 0, id="begins so and is long"),
        pytest.param(" 503\n", 0, id="error code alone"),
        pytest.param("5030", 1, id="another number"),
        pytest.param("the item was Not Found", 0, id="short, with a phrase for errors"),
        pytest.param("x" * 190 + "not found", 0, id="199 characters"),
        pytest.param("x" * 191 + "not found", 1, id="200 characters"),
        pytest.param("forbidden fruit", 0, id="phrase meant otherwise"),
        pytest.param('{"error": "boom"}', 1, id="error in JSON"),
    ],
)
def test_an_answer_fails_by_its_wording(result: str, value: float) -> None:
    assert answered(result).value == value


def test_rate_is_over_the_calls_that_were_answered() -> None:
    score = answered("fine", "error: x", None, "fine")
    assert score.value == 0.6667
    assert score.details == {"total_tool_calls": 3, "successful_calls": 2, "failed_calls": 1}
    assert score.explanation == "answered with an error: tool_1"


def test_call_that_failed_without_an_answer_has_failed() -> None:
    calls = (ToolCall(name="a", result="fine"), ToolCall(name="b", status="error"), ToolCall(name="c", error="boom"))
    assert ToolCallSuccessRate()(AgentTrace(tool_calls=calls)).value == 0.3333


def test_what_was_not_recorded_is_skipped() -> None:
    assert ToolSelectionAccuracy()(AgentTrace()).reason == "no expected tool calls"
    assert ToolArgumentCorrectness()(AgentTrace()).reason == "no expected tool calls"
    assert ToolCallSuccessRate()(AgentTrace()).reason == "the agent called no tools"
    assert answered(None).reason == "no results of tools were recorded"
    lacking = arguments([("a", {"x": 1}), ToolCall(name="a")], [("a", {"x": 1})])
    assert lacking.reason == "the arguments of a (its last call) were not recorded"


def test_arguments_that_do_not_count_need_not_be_recorded() -> None:
    assert arguments([ToolCall(name="a"), ("a", {"x": 1}), ToolCall(name="b")], [("a", {"x": 1}), "b"]).value == 1


def test_arguments_that_python_does_not_write_are_skipped() -> None:
    assert arguments([("a", {"x": 10**5000})], [("a", {"x": 1})]).status == "skipped"


@given(NAMES, NAMES)
def test_selection_is_the_same_from_either_side(actual: str, expected: str) -> None:
    value = ToolSelectionAccuracy()(make_run(actual, expected)).value
    assert value == ToolSelectionAccuracy()(make_run(expected, actual)).value
    assert (value == 1) == (set(actual) == set(expected))
