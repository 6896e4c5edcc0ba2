"""AgentV's tool trajectory, in both eras."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import make_call, make_run

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.agentv import ToolTrajectory
from tracegrade.evaluators.compat.agentv.javascript import MISSING, is_deep_equal, value_at
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Message, Reference, Score, ToolCall

NAMES = st.lists(st.sampled_from("abc"), max_size=6)


def score_calls(actual: Any, expected: Any, mode: str = "in_order", **options: Any) -> Score:
    """A tool that is expected by its name alone may take any arguments."""
    calls = [ExpectedCall(name=call) if isinstance(call, str) else call for call in expected]
    return ToolTrajectory(mode=mode, **options)(make_run(actual, calls))


def score_minimums(actual: str, minimums: dict[str, float] | None, **trace: Any) -> Score:
    run = make_run(actual, reference=Reference(minimums=minimums), **trace)
    return ToolTrajectory(mode="any_order")(run)


@pytest.mark.parametrize(
    ("actual", "expected", "values"),
    [
        pytest.param("abc", "abc", (1, 1, 1, 1), id="as expected"),
        pytest.param("axbc", "abc", (1, 1 / 3, 1, 3 / 4), id="one in between"),
        pytest.param("ac", "abc", (1 / 3, 1 / 3, 2 / 3, 1), id="a tool that never comes uses up the rest"),
        pytest.param("cab", "abc", (2 / 3, 0, 1, 1), id="in another order"),
        pytest.param("aaa", "a", (1, 1, 1, 1), id="repeated"),
        pytest.param("a", "", (1, 1, 1, 0), id="nothing expected"),
    ],
)
def test_a_mode_decides_what_a_difference_costs(actual: str, expected: str, values: tuple[float, ...]) -> None:
    modes = ("in_order", "exact", "superset", "subset")
    assert tuple(score_calls(actual, expected, mode, strict=False).value for mode in modes) == pytest.approx(values)


def test_exact_that_is_not_strict_lets_further_calls_pass() -> None:
    score = score_calls("abx", "ab", "exact", strict=False)
    assert (score.value, score.passed, score.details["verdict"], score.details["aspect_count"]) == (1, None, "pass", 2)
    assert score.explanation == "Expected 2 tool calls, got 3"
    assert score_calls("a", "", "exact", strict=False).value == 1


def test_further_calls_fail_an_exact_run_however_good_the_score() -> None:
    score = score_calls("abcdefghij", "abcdefghi", "exact")
    assert (score.value, score.passed, score.details["verdict"]) == (0.9, False, "fail")
    assert score.explanation == "Expected 9 tool calls, got 10"
    assert score_calls("a", "", "exact").value == 0


@given(NAMES, NAMES)
def test_strict_changes_nothing_but_further_calls(actual: list[str], expected: list[str]) -> None:
    loose, strict = (score_calls(actual, expected, "exact", strict=strict) for strict in (False, True))
    assert (loose == strict) or len(actual) > len(expected)


def test_two_evaluators_expect_two_sequences_of_their_own() -> None:
    first = configure("agentv:tool_trajectory", options={"expected": [{"tool": "a"}, {"tool": "b"}]})
    other = configure("agentv:tool_trajectory", options={"mode": "exact", "expected": [{"tool": "b"}]})
    least = configure("agentv:tool_trajectory", options={"mode": "any_order", "minimums": {"a": 1, "b": 2}})
    run = make_run("ab", reference=Reference(expected_tool_calls=(), source="rule:x", sources={"minimums": "rule:x"}))
    scores = [evaluate(evaluator, run)[0] for evaluator in (first, other, least)]
    assert [score.value for score in scores] == [1, 0, 0.5]
    assert {score.reference_source for score in scores} == {None}
    assert not any("according to" in (score.explanation or "") for score in scores)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"expected": [{"tol": "a"}]}, "expected.0. has no name"),
        ({"expected": "a"}, "write a list"),
        ({"minimums": {"a": -1}}, "minimums.a is not a count"),
    ],
    ids=["no name", "no list", "no count"],
)
def test_own_expectation_that_cannot_be_read_is_refused(options: dict[str, Any], says: str) -> None:
    with pytest.raises(WrongOptions, match=says):
        configure("agentv:tool_trajectory", options=options)


def test_a_mode_that_does_not_exist_is_refused_unless_compat_asks_for_its_zero() -> None:
    with pytest.raises(WrongOptions, match="'banana' is not a mode; write any_order"):
        configure("agentv:tool_trajectory", options={"mode": "banana"})
    assert score_calls("a", "a", "banana", compat=True).value == 0


def test_minimums_are_met_or_not() -> None:
    score = score_minimums("aab", {"a": 2, "b": 2, "c": 0})
    assert score.value == pytest.approx(2 / 3)
    assert score.details["misses"] == ["b: called 1 time (required >= 2)"]
    assert score_minimums("a", {}).value == 1


def test_minimums_that_are_no_counts_are_compared_as_numbers() -> None:
    score = score_minimums("aab", {"a": 1.5, "b": 1.5, "c": -1})
    assert score.details["hits"] == ["a: called 2 times (required >= 1.5)", "c: called 0 times (required >= -1)"]
    assert score.value == pytest.approx(2 / 3)


def test_a_call_with_wrong_arguments_is_used_up() -> None:
    calls = [("a", {"q": "wrong"}), ("a", {"q": "right"})]
    assert score_calls(calls, [("a", {"q": "right"})]).value == 0
    assert score_calls(calls, [("a", {"q": "right"})], "superset").value == 1


@pytest.mark.parametrize(
    ("matcher", "value"),
    [("exact", 0), ("superset", 1), ("subset", 0), ("ignore", 1), (("q",), 1), (("more",), 1), ((), 1)],
)
def test_arguments_match_as_the_mode_says(matcher: Any, value: int) -> None:
    actual, expected = [("a", {"q": 1, "more": 2})], {"q": 1}
    assert score_calls(actual, [("a", expected)], args_match=matcher).value == value
    assert (
        score_calls(actual, [ExpectedCall(name="a", args=expected, args_match=matcher)], args_match="exact").value
        == value
    )


@pytest.mark.parametrize(("matcher", "value"), [("exact", 0), ("subset", 1), ("superset", 0), ("ignore", 1)])
def test_a_matcher_in_our_words_means_the_opposite_of_agentvs(matcher: Any, value: int) -> None:
    expected = ExpectedCall(name="a", args={"q": 1}, matcher=matcher)
    assert score_calls([("a", {"q": 1, "more": 2})], [expected]).value == value


def test_the_eras_differ_in_the_arguments_they_accept_and_in_borderline() -> None:
    actual, expected = [("a", {"q": 1, "more": 2}), ("b", {}), ("x", {})], [("a", {"q": 1}), "b", "c"]
    v2, v4 = (score_calls(actual, expected, "superset", era=era) for era in ("v2", "v4"))
    assert [v2.value, v4.value] == pytest.approx([2 / 3, 1 / 3])
    assert [v2.details["verdict"], v4.details["verdict"]] == ["borderline", "fail"]


def test_each_limit_is_an_aspect_beside_the_sequence() -> None:
    calls = [make_call("a", duration_ms=100), make_call("b", duration_ms=900), make_call("c", duration_ms=5)]
    score = score_calls(
        calls, [ExpectedCall(name="a", max_duration_ms=100), ExpectedCall(name="b", max_duration_ms=500), "c"]
    )
    assert score.value == pytest.approx(4 / 5)
    assert score.details["aspect_count"] == 5
    assert score.explanation == "b took 900ms (max: 500ms)"


def test_a_duration_that_was_not_recorded_is_left_out_with_a_warning() -> None:
    score = score_calls([make_call("a", duration_ms=None)], [ExpectedCall(name="a", max_duration_ms=100)], "exact")
    assert (score.value, score.details["aspect_count"]) == (1, 1)
    assert score.details["warnings"] == ["No duration data for a; latency assertion skipped"]


def test_a_limit_on_a_call_that_was_not_found_stays_as_a_miss() -> None:
    score = score_calls([make_call("a", duration_ms=1)], ["a", ExpectedCall(name="b", max_duration_ms=100)])
    assert score.value == pytest.approx(1 / 3)
    assert score.details["aspect_count"] == 3


@pytest.mark.parametrize("mode", ["superset", "subset"])
def test_durations_count_in_sequences_alone(mode: str) -> None:
    assert score_calls([make_call("a", duration_ms=900)], [ExpectedCall(name="a", max_duration_ms=1)], mode).value == 1


def test_a_run_without_calls_needs_a_sign_that_it_took_place() -> None:
    nothing = Reference(expected_tool_calls=())
    spoken = {"messages": (Message(role="assistant"),), "reference": nothing}
    assert ToolTrajectory()(AgentTrace(reference=nothing)).explanation == "No trace available for evaluation"
    assert ToolTrajectory()(AgentTrace(**spoken)).value == 0
    assert ToolTrajectory(era="v4")(AgentTrace(**spoken)).value == 1
    assert ToolTrajectory()(AgentTrace(trace_id="1f", reference=nothing)).value == 1
    assert score_minimums("", {"a": 0}, duration_ms=5).value == 1


def test_no_calls_are_a_subset() -> None:
    assert (
        ToolTrajectory(mode="subset")(AgentTrace(trace_id="1f", reference=Reference(expected_tool_calls=()))).value == 1
    )


def test_a_pass_is_what_agentv_calls_one() -> None:
    trace = make_run("abcd", [ExpectedCall(name=name) for name in "abcde"])
    (verdict,) = evaluate(configure("agentv:tool_trajectory"), trace)
    assert (verdict.value, verdict.passed, verdict.threshold) == (0.8, True, 0.8)


def test_nothing_asked_for_by_anybody_is_skipped() -> None:
    assert ToolTrajectory()(AgentTrace(reference=Reference(minimums={}))).reason == "no expected tool calls"
    assert score_minimums("a", None).reason == "no minimums"


def test_arguments_that_were_not_recorded_leave_the_score_open() -> None:
    unrecorded = [ToolCall(name="a")]
    assert score_calls(unrecorded, [("a", {"q": 1})]).reason == "the arguments of a (call 0) were not recorded"
    assert score_calls(unrecorded, [("a", {"q": 1})], args_match="ignore").value == 1
    assert score_calls(unrecorded, ["a"]).value == 1


def test_arguments_that_are_no_object_never_match() -> None:
    assert score_calls([ToolCall(name="a", args_text="ls")], [("a", {})]).value == 0


@pytest.mark.parametrize("mode", ["superset", "subset"])
def test_more_calls_than_can_be_compared_are_skipped(mode: str) -> None:
    assert "too many to compare" in str(score_calls("ab" * 1_000, "ba" * 1_000, mode).reason)


@pytest.mark.parametrize("mode", ["superset", "subset"])
def test_dotted_paths_count_towards_what_can_be_compared(mode: str) -> None:
    calls, expected = [("a", {"q": {"x": 1}})] * 600, [("a", {"q": {"x": 2}})] * 600
    assert score_calls(calls, expected, mode, args_match=("q",)).value == 0
    refused = score_calls(calls, expected, mode, args_match=("q.x", "q.y"))
    assert refused.reason is not None
    assert refused.reason.startswith("600 calls against 600 are too many to compare")
    assert "keys of dotted paths" in refused.reason
    assert score_calls(calls, expected, args_match=("q.x", "q.y")).value == 0


def test_durations_are_told_to_the_millisecond() -> None:
    score = score_calls([make_call("a", duration_ms=1_234_567)], [ExpectedCall(name="a", max_duration_ms=1_000_000.5)])
    assert score.explanation == "a took 1234567ms (max: 1000000.5ms)"


def test_explanations_name_three_faults_and_count_the_rest() -> None:
    assert str(score_calls("", "abcde", "exact").explanation) == "No trace available for evaluation"
    assert str(score_calls("x", "abcde").explanation).endswith("; and 2 more")


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        pytest.param(1, 1.0, True, id="1 and 1.0"),
        pytest.param(1, True, False, id="1 and true"),
        pytest.param(0, None, False, id="0 and null"),
        pytest.param(2**53, 2**53 + 1, True, id="integers that share a double"),
        pytest.param(10**400, 10**500, True, id="integers beyond every double"),
        pytest.param(10**400, -(10**400), False, id="infinities of two signs"),
        pytest.param(math.nan, math.nan, False, id="NaN"),
        pytest.param(-0.0, 0, True, id="zeros"),
        pytest.param({"a": 1, "b": [2]}, {"b": [2.0], "a": 1}, True, id="keys in another order"),
        pytest.param({"a": None}, {}, False, id="null and missing"),
        pytest.param({}, [], False, id="object and list"),
        pytest.param([1, 2], [2, 1], False, id="lists in another order"),
        pytest.param("é", "e\u0301", False, id="accents in another form"),
    ],
)
def test_values_are_equal_as_javascript_has_it(one: Any, other: Any, *, is_equal: bool) -> None:
    assert is_deep_equal(one, other) is is_equal
    assert is_deep_equal([{"a": one}], [{"a": other}]) is is_equal


def test_nesting_costs_no_stack() -> None:
    def deep(leaf: int) -> Any:
        value: Any = leaf
        for _ in range(100_000):
            value = [value]
        return value

    assert is_deep_equal(deep(1), deep(1))
    assert not is_deep_equal(deep(1), deep(2))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b", 1),
        ("l.0", "x"),
        ("l.length", 2),
        ("n", None),
        ("", "empty"),
        ("l.2", MISSING),
        ("l.00", MISSING),
        ("a.b.c", MISSING),
        ("n.a", MISSING),
    ],
)
def test_paths_go_through_objects_and_lists(path: str, value: Any) -> None:
    assert value_at({"a": {"b": 1}, "l": ["x", "y"], "n": None, "": "empty"}, path) is value


def assert_calls(use: str, value: object, *calls: str | ToolCall, **options: Any) -> float | None:
    made = tuple(ToolCall(name=call) if isinstance(call, str) else call for call in calls)
    [score] = evaluate(configure(use, options={"value": value, **options}), AgentTrace(tool_calls=made))
    return score.value


SHELL = ToolCall(name="shell", args={"command": ["git", "push", "--force"]})


@pytest.mark.parametrize(
    ("value", "calls", "options", "holds"),
    [
        ("search", ("search", "book"), {}, 1),
        (["search", "book"], ("search",), {}, 0),
        ("delete_*", ("Delete_User",), {"inverse": True}, 0),
        ({"name": "search*", "max": 2}, ("search", "search_web"), {}, 1),
        ({"name": "search*", "max": 2}, ("search",) * 3, {}, 0),
        ({"name": "search", "max": 2}, (), {}, 0),
        ({"name": "search", "min": 0, "max": 2}, (), {}, 1),
        ("git push *", (SHELL,), {"inverse": True}, 0),
        ("shell", (SHELL,), {"inverse": True}, 0),
        ("shell", (SHELL,), {"inverse": True, "compat": True}, 1),
    ],
    ids=[
        "used",
        "one missing",
        "forbidden",
        "as often as allowed",
        "too often",
        "at least once",
        "optional",
        "forbidden command",
        "forbidden shell",
        "AgentV's forbidden shell",
    ],
)
def test_tools_are_required_limited_or_forbidden(value: Any, calls: Any, options: dict[str, Any], holds: int) -> None:
    assert assert_calls("agentv:tool_used", value, *calls, **options) == holds


def test_sequence_and_number_of_steps_are_asserted() -> None:
    assert assert_calls("agentv:tool_sequence", ["a", "c"], "a", "b", "c") == 1
    assert assert_calls("agentv:tool_sequence", ["c", "a"], "a", "b", "c") == 0
    assert assert_calls("agentv:tool_sequence", {"mode": "exact", "steps": ["a", "c"]}, "a", "b", "c") == 0
    assert assert_calls("agentv:step_count", {"max": 2}, "a", "b", SHELL) == 0
    assert assert_calls("agentv:step_count", {"type": "command", "max": 1}, "a", "b", SHELL) == 1


@pytest.mark.parametrize(
    ("value", "holds"),
    [
        ({"name": "s*", "args": {"where": {"city": "Paris"}}}, 1),
        ({"name": "s*", "args": {"where": {"city": "Paris"}}, "mode": "exact"}, 0),
        ({"name": "s*", "args": {"where": {"city": "Paris", "n": 1}}, "mode": "exact", "defaults": {"page": 1}}, 1),
        ({"name": "s*", "arguments": {"where": {"city": "Paris", "n": 1}, "page": 9}, "ignore": "p*"}, 1),
        ({"name": "s*", "args": {"where": {"city": "Rome"}}}, 0),
    ],
    ids=["in part", "exact", "defaults", "ignored", "others"],
)
def test_one_call_has_the_arguments(value: dict[str, Any], holds: int) -> None:
    call = ToolCall(name="search", args={"where": {"city": "Paris", "n": 1}, "page": 1})
    assert assert_calls("agentv:tool_args_match", value, "search", call) is None
    assert assert_calls("agentv:tool_args_match", value, call) == holds


@pytest.mark.parametrize(
    ("use", "value", "says"),
    [
        ("agentv:tool_used", [], "at least one tool"),
        ("agentv:tool_used", {"max": 1}, "it names no tool"),
        ("agentv:tool_sequence", [], "it is empty"),
        ("agentv:step_count", {"name": "a"}, "write `min` or `max`"),
        ("agentv:tool_args_match", {"name": "a"}, "args"),
    ],
)
def test_assertion_that_says_nothing_is_refused(use: str, value: object, says: str) -> None:
    with pytest.raises(WrongOptions, match=says):
        configure(use, options={"value": value})
