"""Pydantic Evals' agentic evaluators: which calls count, and what they are held against."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import make_run

from tracegrade.evaluators.compat.pydantic_evals import (
    ArgumentCorrectness,
    MaxToolCalls,
    ToolCorrectness,
    TrajectoryMatch,
)
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall

NAMES = st.text("abc", max_size=6)
BY_REFERENCE = [ArgumentCorrectness(), ToolCorrectness(), TrajectoryMatch()]


def failed(name: str, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, status="error")


def deferred(name: str) -> ToolCall:
    return ToolCall(name=name, args={}, status="not_executed")


def arguments(actual: Any, expected: Any, **options: Any) -> Score:
    return ArgumentCorrectness(**options)(make_run(actual, expected))


@pytest.mark.parametrize(
    ("actual", "expected", "value", "reason"),
    [
        pytest.param("", "", 1, None, id="two empty lists"),
        pytest.param("ba", "ab", 1, None, id="order is nothing"),
        pytest.param("a", "aab", 0, "missing tools: 'a' (x1), 'b' (x1)", id="too few"),
        pytest.param("abb", "a", 0, "unexpected tools: 'b' (x2)", id="too many"),
        pytest.param("b", "a", 0, "missing tools: 'a' (x1); unexpected tools: 'b' (x1)", id="another"),
    ],
)
def test_tools_are_correct_when_each_was_called_as_often_as_expected(
    actual: str, expected: str, value: float, reason: str | None
) -> None:
    score = ToolCorrectness()(make_run(actual, expected))
    assert (score.value, score.details["reason"]) == (value, reason)


def test_further_tools_can_be_allowed() -> None:
    allowing = ToolCorrectness(allow_extra=True)
    assert allowing(make_run("abb", "ab")).value == 1
    assert allowing(make_run("bb", "ab")).value == 0


@pytest.mark.parametrize(
    ("actual", "expected", "exact", "in_order", "any_order"),
    [
        pytest.param("", "", 1, 1, 1, id="two empty lists"),
        pytest.param("", "a", 0, 0, 0, id="nothing called"),
        pytest.param("a", "", 0, 0, 0, id="nothing expected"),
        pytest.param("axb", "ab", 0, 0.8, 0.8, id="one too many"),
        pytest.param("ba", "ab", 0, 0.5, 1, id="swapped"),
        pytest.param("aab", "aba", 0, 2 / 3, 1, id="repeats in another place"),
    ],
)
def test_trajectory_is_graded_by_f1(
    actual: str, expected: str, exact: float, in_order: float, any_order: float
) -> None:
    values = [
        TrajectoryMatch(order=order)(make_run(actual, expected)).value for order in ("exact", "in_order", "any_order")
    ]
    assert values == pytest.approx([exact, in_order, any_order])


def test_trajectory_reason_shows_how_the_score_came_about() -> None:
    score = TrajectoryMatch()(make_run("axb", "ab"))
    assert score.details["reason"] == (
        "LCS=2, precision=2/3=0.667, recall=2/2=1.000, F1=0.800 (expected: ['a', 'b'], actual: ['a', 'x', 'b'])"
    )
    assert score.explanation == "2 of 2 expected calls matched; 3 were made"


def test_trajectories_too_long_to_be_compared_in_order_are_skipped() -> None:
    calls = make_run("ab" * 1000, "ba" * 1000)
    assert TrajectoryMatch()(calls).status == "skipped"
    assert TrajectoryMatch(order="any_order")(calls).value == 1


def test_failed_attempts_count_only_when_asked_for() -> None:
    retried = make_run([failed("a"), "a", "b"], "ab")
    assert TrajectoryMatch()(retried).value == 1
    assert TrajectoryMatch(include_failed=True)(retried).value == pytest.approx(0.8)
    assert ToolCorrectness()(retried).value == 1
    assert ToolCorrectness(include_failed=True)(retried).value == 0


def test_budget_counts_failed_attempts_unless_told_not_to() -> None:
    calls = make_run([failed("a"), "a"], "")
    assert MaxToolCalls(max_calls=1)(calls).value == 0
    assert MaxToolCalls(max_calls=1, include_failed=False)(calls).value == 1
    assert MaxToolCalls(max_calls=2)(calls).details["reason"] == "2 tool call(s), budget=2"
    assert MaxToolCalls(max_calls=0)(AgentTrace()).value == 1


def test_calls_that_were_deferred_never_count() -> None:
    calls = make_run([deferred("a")], "")
    assert ToolCorrectness(include_failed=True)(calls).value == 1
    assert MaxToolCalls(max_calls=0)(calls).value == 1


@pytest.mark.parametrize(
    ("actual", "expected", "exact", "subset"),
    [
        pytest.param({"x": 1}, {"x": 1}, 1, 1, id="equal"),
        pytest.param({"x": 1, "y": 2}, {"x": 1}, 0, 1, id="one too many"),
        pytest.param({}, {"x": 1}, 0, 0, id="one too few"),
        pytest.param({"x": {"p": 1, "q": 2}}, {"x": {"p": 1}}, 0, 0, id="one too many inside"),
        pytest.param({"x": True}, {"x": 1.0}, 1, 1, id="true is one"),
        pytest.param({"x": "1"}, {"x": 1}, 0, 0, id="one is not its text"),
        pytest.param({"x": float("nan")}, {"x": float("nan")}, 0, 0, id="NaN equals nothing"),
    ],
)
def test_arguments_are_exact_or_include_the_expected_ones(
    actual: Any, expected: Any, exact: float, subset: float
) -> None:
    calls = [("s", actual)], [("s", expected)]
    assert arguments(*calls, match_mode="exact").value == exact
    assert arguments(*calls).value == subset


@pytest.mark.parametrize(
    ("occurrence", "value"),
    [
        pytest.param("first", 0, id="first"),
        pytest.param("last", 1, id="last"),
        pytest.param(1, 1, id="by number"),
        pytest.param(2, 0, id="a number that there is not"),
        pytest.param(-1, 0, id="no number counts from the end"),
    ],
)
def test_one_call_of_the_tool_decides(occurrence: Any, value: float) -> None:
    calls = [("s", {"q": "wrong"}), "other", ("s", {"q": "right"})]
    assert arguments(calls, [("s", {"q": "right"})], occurrence=occurrence).value == value


def test_attempt_that_failed_is_an_occurrence_only_when_asked_for() -> None:
    calls = [failed("s", q="wrong"), ("s", {"q": "right"})], [("s", {"q": "right"})]
    assert arguments(*calls).value == 1
    assert arguments(*calls, include_failed=True).value == 0


def test_each_tool_of_the_reference_is_looked_at_unless_one_is_named() -> None:
    calls = [("a", {"x": 1}), ("b", {"x": 2})], [("a", {"x": 1}), ("b", {"x": 3})]
    assert arguments(*calls).value == 0
    assert arguments(*calls, tool_name="a").value == 1
    assert arguments(*calls, tool_name="c").reason == "no expected call of c"


def test_tool_that_was_not_called_fails() -> None:
    score = arguments("", [("s", {})])
    assert (score.value, score.details["reason"]) == (0, "No calls to tool 's' were recorded.")


def test_reasons_never_hold_what_was_passed() -> None:
    missing = arguments([("s", {})], [("s", {"q": "secret"})])
    assert missing.details["reason"] == "Tool 's' argument mismatch: missing key 'q'"
    wrong = arguments([("s", {"q": "hidden", "k": "hidden"})], [("s", {"q": "secret"})], match_mode="exact")
    assert wrong.explanation == "Tool 's' argument mismatch: key 'q' differs; unexpected key 'k'"
    assert wrong.details == {}


@pytest.mark.parametrize("metric", BY_REFERENCE, ids=lambda metric: type(metric).__name__)
def test_run_without_a_reference_is_skipped(metric: Any) -> None:
    assert metric(AgentTrace()).reason == "no expected tool calls"


def test_arguments_that_were_not_recorded_are_skipped_and_those_that_are_no_object_fail() -> None:
    expected = [("s", {"q": 1})]
    lacking = arguments([ToolCall(name="s")], expected)
    assert lacking.reason == "the arguments of s (occurrence first) were not recorded"
    assert arguments([ToolCall(name="s", args_text="oops")], expected).value == 0
    assert arguments([ToolCall(name="s")], [("s", None)]).value == 1


def test_arguments_nested_too_deeply_are_skipped() -> None:
    nested: list[Any] = [1, 1]
    for _ in range(100_000):
        nested = [[nested[0]], [nested[1]]]
    assert arguments([("s", {"q": nested[0]})], [("s", {"q": nested[1]})]).status == "skipped"


@given(NAMES, NAMES)
def test_stricter_orders_never_score_higher(actual: str, expected: str) -> None:
    calls = make_run(actual, expected)
    exact, in_order, any_order = (
        TrajectoryMatch(order=order)(calls).value or 0.0 for order in ("exact", "in_order", "any_order")
    )
    assert exact <= in_order <= any_order
    assert (any_order == 1) == (ToolCorrectness()(calls).value == 1)
