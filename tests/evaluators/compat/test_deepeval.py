"""DeepEval's tool correctness: what counts as alike, what an expected call may take, and what is put right."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.agent_runs import expect_call, make_run

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.deepeval import ToolCorrectness, with_tool_selection
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.formats import CALLS_NOT_RECORDED
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, Score, ToolCall

ARGS = st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), max_size=3)
CALLS = st.lists(st.tuples(st.sampled_from("ab"), ARGS), max_size=6)


def score_calls(called: Any, expected: Any, **options: Any) -> Score:
    return ToolCorrectness(**options)(make_run(called, expected))


@pytest.mark.parametrize(
    ("called", "expected", "scores"),
    [
        pytest.param("", "", (1, 1, 1), id="two empty lists"),
        pytest.param("a", "", (0, 0, 0), id="nothing expected"),
        pytest.param("", "a", (0, 0, 0), id="nothing called"),
        pytest.param("ab", "ab", (1, 1, 1), id="as expected"),
        pytest.param("axb", "ab", (1, 1, 0), id="a call nobody expected"),
        pytest.param("ba", "ab", (1, 0.5, 0), id="the other way round"),
        pytest.param("a", "ab", (0.5, 0.5, 0), id="one missing"),
    ],
)
def test_a_mode_decides_what_a_difference_costs(called: str, expected: str, scores: tuple[float, ...]) -> None:
    modes: tuple[dict[str, bool], ...] = ({}, {"should_consider_ordering": True}, {"should_exact_match": True})
    assert tuple(score_calls(called, expected, **mode).value for mode in modes) == scores


@pytest.mark.parametrize(
    ("called", "expected", "value"),
    [
        pytest.param({"x": 1, "y": 2}, {"x": 1, "y": 3}, 1 / 2, id="one of two values"),
        pytest.param({"x": 1, "k": 9}, {"x": 1}, 1 / 2, id="a key too many"),
        pytest.param({}, {"x": 1}, 0, id="no key in common"),
        pytest.param({"f": {"x": 1, "y": 2}}, {"f": {"x": 1, "y": 3}}, 1 / 2, id="objects inside are compared in part"),
        pytest.param({"f": [1, 2]}, {"f": [1, 3]}, 0, id="lists are not"),
        pytest.param({"x": True}, {"x": 1.0}, 1, id="true is 1"),
        pytest.param({"x": "1"}, {"x": 1}, 0, id="text is no number"),
        pytest.param({"x": 10**30}, {"x": 10**30 + 1}, 0, id="beyond 64 bits"),
    ],
)
def test_inputs_are_alike_by_the_share_of_equal_values(called: Any, expected: Any, value: float) -> None:
    assert score_calls([("a", called)], [("a", expected)]).value == value


@pytest.mark.parametrize(
    ("called", "expected", "value"),
    [
        pytest.param("42", "42", 1, id="the same text"),
        pytest.param("sunny", "rainy", 0, id="other text"),
        pytest.param('{"a": 1, "b": 2}', '{"b":2.0,"a":1}', 1, id="the same JSON, written otherwise"),
        pytest.param('"42"', "42", 0, id="a JSON text is no number"),
        pytest.param("", "42", 0, id="empty is recorded"),
        pytest.param("[" * 5000, "[" * 5000, 1, id="brackets without end"),
    ],
)
def test_outputs_are_compared_as_values(called: str, expected: str, value: float) -> None:
    assert score_calls([("a", {}, called)], [("a", {}, expected)]).value == value


def test_only_what_is_asked_for_is_compared() -> None:
    called: list[Any] = [("a", {"x": 1}, "1")]
    expected: list[Any] = [("a", {"x": 2}, "2")]
    scores = {word: score_calls(called, expected, evaluation_params=word).value for word in ("none", "input", "output")}
    assert scores == {"none": 1, "input": 0, "output": 0}


class ToolCallParams(Enum):
    INPUT_PARAMETERS = "input_parameters"
    OUTPUT = "output"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("both", ("input", "output"), id="both"),
        pytest.param([], (), id="the peer's default"),
        pytest.param(None, ("input", "output"), id="null"),
        pytest.param(["output", "input_parameters"], ("input", "output"), id="the peer's words"),
        pytest.param([ToolCallParams.OUTPUT], ("output",), id="a member of the peer's enum"),
    ],
)
def test_params_are_read_as_the_peer_writes_them(written: Any, read: tuple[str, ...]) -> None:
    assert ToolCorrectness(evaluation_params=written).evaluation_params == read


def test_unknown_param_is_told_what_there_is() -> None:
    with pytest.raises(WrongOptions, match="'arguments' is not a part of a call; write input, output, both or none"):
        configure("deepeval:tool_correctness", options={"evaluation_params": ["arguments"]})


def test_an_earlier_expected_call_may_take_what_a_later_one_needed() -> None:
    called = [("a", {"x": 1, "y": 1}), ("a", {"x": 2, "y": 2})]
    expected = [("a", {"x": 1, "y": 9}), ("a", {"x": 1, "y": 1})]
    assert score_calls(called, expected).value == 0.25


def test_ordering_takes_the_pairs_that_weigh_most() -> None:
    called = [("b", {"x": 1}), ("a", {"x": 1, "y": 9}), ("b", {"x": 1})]
    expected = [("a", {"x": 1, "y": 1}), ("b", {"x": 1})]
    score = score_calls(called, expected, should_consider_ordering=True)
    assert score.value == 0.75
    assert score.details["partly_matched"] == ["a"]


def test_exact_match_wins_over_ordering() -> None:
    assert score_calls("axb", "ab", should_exact_match=True, should_consider_ordering=True).value == 0


def test_strict_mode_is_all_or_nothing_whatever_the_threshold() -> None:
    strict = configure("deepeval:tool_correctness", options={"strict_mode": True}, threshold=0.5)
    [missed], [met] = evaluate(strict, make_run("a", "ab")), evaluate(strict, make_run("ab", "ab"))
    assert (missed.value, missed.passed, met.value, met.passed) == (0, False, 1, True)
    assert missed.details["threshold_effective"] == 1
    assert missed.details["tool_calling_score"] == 0.5


def test_strict_mode_does_not_pass_a_zero_that_the_threshold_would() -> None:
    strict = configure("deepeval:tool_correctness", options={"strict_mode": True}, threshold=0)
    [verdict] = evaluate(strict, make_run("a", "ab"))
    assert verdict.passed is False


def test_half_passes_by_default() -> None:
    [verdict] = evaluate(configure("deepeval:tool_correctness"), make_run("a", "ab"))
    assert (verdict.value, verdict.passed) == (0.5, True)


def test_each_of_two_equal_calls_can_be_expected() -> None:
    assert score_calls("aab", "aba").value == 1
    assert score_calls("aab", "aba", compat=True).value == pytest.approx(2 / 3)
    assert score_calls("aab", "aba", compat=True, should_consider_ordering=True).value == pytest.approx(2 / 3)


def test_what_an_expected_call_leaves_open_may_be_anything() -> None:
    called = [("a", {"x": 1}, "42")]
    assert score_calls(called, [("a", None)]).value == 1
    assert score_calls(called, [("a", {"x": 1})], compat=True).value == 0
    assert score_calls(called, [("a", {"x": 1}, "42")], compat=True).value == 1


@pytest.mark.parametrize("mode", ["should_exact_match", "should_consider_ordering", "strict_mode"])
def test_input_that_was_not_recorded_leaves_the_score_open(mode: str) -> None:
    score = score_calls([("a", None)], [("a", {"x": 1})], **{mode: True})
    assert score.reason == "the arguments of a (call 0) were not recorded"


def test_output_that_was_not_recorded_leaves_the_score_open() -> None:
    called: list[Any] = [("b", {}, "1"), ("a", {})]
    expected: list[Any] = [("a", {}, "42")]
    assert score_calls(called, expected).reason == "the result of a (call 1) was not recorded"
    assert score_calls(called, expected, evaluation_params="input").value == 1
    assert score_calls(called, expected, compat=True).value == 0


def test_a_call_that_failed_gave_no_result_and_that_is_recorded() -> None:
    failed = ToolCall(name="a", args={}, status="error", error="timeout")
    reference = Reference(expected_tool_calls=(expect_call(("a", {}, "42")),))
    assert ToolCorrectness()(AgentTrace(tool_calls=(failed,), reference=reference)).value == 0


def test_names_that_differ_decide_an_exact_match_without_the_arguments() -> None:
    assert score_calls([("b", None)], [("a", {"x": 1})], should_exact_match=True).value == 0


def test_arguments_that_are_no_object_are_recorded_and_not_the_expected_ones() -> None:
    trace = AgentTrace(
        tool_calls=(ToolCall(name="a", args_text="[1]"),), reference=Reference(expected_tool_calls=(expect_call("a"),))
    )
    assert ToolCorrectness()(trace).value == 0
    assert ToolCorrectness(should_exact_match=True)(trace).value == 0


def test_where_the_peer_crashes_there_is_no_score() -> None:
    called, expected = [("a", None)], [("a", {"x": 1})]
    assert score_calls(called, expected, compat=True).status == "skipped"
    assert score_calls(called, expected, compat=True, should_exact_match=True).value == 0
    assert score_calls(called, [("a", None)], compat=True).value == 1


def test_trace_without_a_reference_is_skipped() -> None:
    assert ToolCorrectness()(AgentTrace()).reason == "no expected tool calls"


def test_a_run_of_which_nobody_said_what_it_called_is_skipped() -> None:
    trace = make_run("", "a").model_copy(update={"gaps": (CALLS_NOT_RECORDED,)})
    assert ToolCorrectness()(trace).reason == "tool calls were not recorded (tool_calls_not_recorded)"


@pytest.mark.parametrize(
    ("called", "expected", "options", "explanation"),
    [
        pytest.param("ab", "ab", {}, "the expected tools were called as expected", id="met"),
        pytest.param("a", "abc", {}, "1 of 3 expected calls matched; not matched: b, c", id="missing"),
        pytest.param("ab", "", {}, "no tool was expected; called: a, b", id="nothing expected"),
        pytest.param(
            [("a", {"x": 1, "y": 1})],
            [("a", {"x": 1})],
            {},
            "1 of 1 expected call matched; matched in part: a",
            id="in part",
        ),
        pytest.param(
            "ab",
            "a",
            {"should_exact_match": True},
            "1 of 1 expected call matched; not expected there: b",
            id="exact, one too many",
        ),
        pytest.param("a", "b", {"include_reason": False}, None, id="not asked for"),
    ],
)
def test_explanation_names_tools(called: Any, expected: Any, options: dict[str, Any], explanation: str | None) -> None:
    assert score_calls(called, expected, **options).explanation == explanation


def test_too_many_calls_are_skipped_unless_one_look_at_each_will_do() -> None:
    many = "ab" * 1_500
    assert "too many to compare" in str(score_calls(many, many).reason)
    assert score_calls(many, many, should_exact_match=True).value == 1


@pytest.mark.parametrize("compat", [False, True], ids=["by default", "as the peer"])
def test_arguments_nested_beyond_reason_are_skipped(compat: bool) -> None:  # noqa: FBT001
    deep: Any = {}
    for _ in range(100_000):
        deep = {"x": deep}
    other = {"x": {**deep, "y": 1}}
    reference = Reference.model_construct(expected_tool_calls=(ExpectedCall.model_construct(name="a", args=other),))
    call = ToolCall.model_construct(name="a", args={"x": deep}, result=None)
    trace = AgentTrace.model_construct(tool_calls=(call,), reference=reference, gaps=())
    assert "too deeply" in str(ToolCorrectness(compat=compat)(trace).reason)


@pytest.mark.parametrize(
    ("calling", "selection", "strict", "score"),
    [
        pytest.param(1.0, 0.25, False, 0.25, id="the choice was worse"),
        pytest.param(0.5, 1.0, False, 0.5, id="the calls were worse"),
        pytest.param(1.0, 0.75, True, 0.0, id="strict"),
        pytest.param(1.0, 1.0, True, 1.0, id="strict, and met"),
    ],
)
def test_the_lower_of_calling_and_selection_counts(
    calling: float,
    selection: float,
    strict: bool,  # noqa: FBT001
    score: float,
) -> None:
    assert with_tool_selection(calling, selection, strict_mode=strict) == score


@given(CALLS, CALLS)
def test_order_never_pays_more_than_no_order_where_all_calls_are_alike(called: list[Any], expected: list[Any]) -> None:
    free, ordered, exact = (
        score_calls(called, expected, evaluation_params="none", **mode).value or 0
        for mode in ({}, {"should_consider_ordering": True}, {"should_exact_match": True})
    )
    assert exact <= ordered <= free <= 1


@given(CALLS)
def test_every_mode_grants_a_run_that_did_what_was_expected(calls: list[Any]) -> None:
    for mode in ("should_consider_ordering", "should_exact_match", "strict_mode"):
        assert score_calls(calls, calls, **{mode: True}).value == 1


@given(CALLS, CALLS)
def test_the_peers_set_of_used_calls_never_pays(called: list[Any], expected: list[Any]) -> None:
    free = score_calls(called, expected, evaluation_params="none").value or 0
    as_the_peer = score_calls(called, expected, evaluation_params="none", compat=True).value or 0
    assert as_the_peer <= free


# What was not recorded, and random endings of names


@pytest.mark.parametrize("mode", [{}, {"should_consider_ordering": True}, {"should_exact_match": True}])
@pytest.mark.parametrize(
    ("call", "value"),
    [
        (ToolCall(name="a", args={"x": 1}), 1),
        (ToolCall(name="a", result="1"), 1),
        (ToolCall(name="a"), 1),
        (ToolCall(name="a", args={"x": 2}), 0),
        (ToolCall(name="a", args_text="x=1", result="1"), 0),
        (ToolCall(name="a", args={"x": 1}, status="error", error="timeout"), 0),
    ],
    ids=["no result", "no arguments", "neither", "other arguments", "arguments as text", "an error"],
)
def test_part_that_was_not_recorded_is_left_out_if_asked_for(call: ToolCall, value: float, mode: Any) -> None:
    expected = [("a", {"x": 1}, "1")]
    assert score_calls([call], expected, unrecorded="leave_out", **mode).value == value
    if value:
        assert score_calls([call], expected, **mode).status == "skipped"


def test_compat_compares_what_was_not_recorded_even_if_it_is_to_be_left_out() -> None:
    called = [ToolCall(name="a", args={"x": 1})]
    assert score_calls(called, [("a", {"x": 1}, "1")], unrecorded="leave_out", compat=True).value == 0


def test_random_endings_of_names_are_cut_on_both_sides_only_if_asked_for() -> None:
    run = make_run([("agent_xg7c", {})], [("agent_zor2", {})])
    assert ToolCorrectness()(run).value == 0
    assert ToolCorrectness(tool_names="mixed4")(run).value == 1
    assert run.tool_calls[0].name == "agent_xg7c"


def test_misspelt_ending_is_refused() -> None:
    with pytest.raises(WrongOptions, match=r"'mixed5' is not a known suffix \(did you mean 'mixed4'\?\)"):
        configure("deepeval:tool_correctness", options={"tool_names": "mixed5"})


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"allowed_tools": ["search"]}, 0.5),
        ({"denied_tools": ["delete"]}, 0.5),
        ({"allowed_tools": ["search", "delete"], "denied_tools": ["search"]}, 0.5),
        ({"allowed_tools": []}, 0.0),
        ({"denied_tools": []}, 1.0),
        ({"denied_tools": ["delete"], "strict_mode": True}, 0.0),
    ],
    ids=["not allowed", "denied", "denied and allowed", "none allowed", "none denied", "strict"],
)
def test_only_allowed_tools_may_be_called(options: dict[str, Any], value: float) -> None:
    run = AgentTrace(tool_calls=(ToolCall(name="search"), ToolCall(name="delete")))
    [score] = evaluate(configure("deepeval:tool_permission", options=options), run)
    assert (score.value, score.passed) == (value, value == 1)


@pytest.mark.parametrize("gap", ["tool_calls_not_recorded", "content_not_captured"])
def test_permission_of_calls_that_were_not_recorded_is_open(gap: str) -> None:
    [score] = evaluate(configure("deepeval:tool_permission", options={"denied_tools": ["x"]}), AgentTrace(gaps=(gap,)))
    assert (score.status, score.value) == ("skipped", None)


def test_permission_without_a_policy_is_refused() -> None:
    with pytest.raises(WrongOptions, match="say by `allowed_tools` or by `denied_tools`"):
        configure("deepeval:tool_permission")
