"""ADK's tool trajectory: all or nothing an invocation, and the mean over several."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.agent_runs import expect_calls, make_run

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.adk import ResponseMatch, ToolTrajectory, average
from tracegrade.evaluators.compat.adk.response_match import tokens
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, Score, ToolCall

TYPES = ("EXACT", "IN_ORDER", "ANY_ORDER")


def score_calls(actual: Any, expected: Any, match_type: str = "EXACT", **options: Any) -> Score:
    return ToolTrajectory(match_type=match_type, **options)(make_run(actual, expected))


@pytest.mark.parametrize(
    ("actual", "expected", "values"),
    [
        pytest.param("", "", (1, 1, 1), id="two empty lists"),
        pytest.param("a", "", (0, 1, 1), id="nothing expected"),
        pytest.param("", "a", (0, 0, 0), id="nothing called"),
        pytest.param("abc", "abc", (1, 1, 1), id="as expected"),
        pytest.param("axbc", "abc", (0, 1, 1), id="one too many"),
        pytest.param("ac", "abc", (0, 0, 0), id="one too few"),
        pytest.param("cba", "abc", (0, 0, 1), id="backwards"),
        pytest.param("ab", "aab", (0, 0, 0), id="a call counts once"),
    ],
)
def test_an_invocation_matches_or_does_not(actual: str, expected: str, values: tuple[int, ...]) -> None:
    assert tuple(score_calls(actual, expected, match_type).value for match_type in TYPES) == values


@pytest.mark.parametrize(
    ("actual", "expected", "is_equal"),
    [
        pytest.param({"n": 1}, {"n": True}, True, id="1 and true"),
        pytest.param({"n": 1}, {"n": 1.0}, True, id="1 and 1.0"),
        pytest.param({"n": 1}, {"n": "1"}, False, id="1 and its text"),
        pytest.param({"n": 2**70}, {"n": 2**70 + 1}, False, id="large integers"),
        pytest.param({"n": None}, {}, False, id="null and missing"),
        pytest.param({"n": 1, "m": 2}, {"n": 1}, False, id="one argument more"),
    ],
)
def test_arguments_are_compared_as_python_compares(actual: Any, expected: Any, *, is_equal: bool) -> None:
    assert [score_calls([("a", actual)], [("a", expected)], each).value for each in TYPES] == [float(is_equal)] * 3
    assert score_calls([("a", actual)], [("a", expected)], ignore_args=True).value == 1


def test_match_types_are_read_as_adk_reads_them() -> None:
    assert ToolTrajectory(match_type=" in-order ").match_type == "IN_ORDER"
    with pytest.raises(WrongOptions, match="match_type"):
        configure("adk:tool_trajectory", options={"match_type": "SOME_ORDER"})


def test_differences_are_named() -> None:
    score = score_calls("axc", "abc")
    assert score.explanation == "missing: b; not expected: x"
    assert score_calls("ca", "abc", "IN_ORDER").details["missing"] == ["b", "c"]


def test_an_expected_call_without_arguments_accepts_any() -> None:
    assert score_calls([("a", {"q": 1})], [("a", None)]).value == 1


def test_nothing_expected_by_anybody_is_skipped() -> None:
    assert ToolTrajectory()(make_run("a")).reason == "no expected tool calls"


def test_arguments_that_were_not_recorded_leave_the_score_open() -> None:
    assert score_calls([("a", None)], [("a", {"q": 1})]).reason == "the arguments of a (call 0) were not recorded"
    assert score_calls([("a", None)], [("a", {"q": 1})], ignore_args=True).value == 1
    assert score_calls([("a", None)], [("a", None)]).value == 1


def test_more_calls_than_can_be_compared_are_skipped() -> None:
    assert "too many to compare" in str(score_calls("ab" * 1_000, "ba" * 1_000, "ANY_ORDER").reason)
    assert score_calls("ab" * 1_000, "ba" * 1_000, "IN_ORDER").value == 0


def test_arguments_nested_too_deeply_are_skipped() -> None:
    def deep() -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in range(100_000):
            value = {"a": value}
        return value

    call = ToolCall.model_construct(name="a", args=deep())
    reference = Reference.model_construct(expected_tool_calls=(ExpectedCall.model_construct(name="a", args=deep()),))
    trace = AgentTrace.model_construct(tool_calls=(call,), reference=reference)
    assert ToolTrajectory()(trace).reason == "arguments are nested too deeply to be compared"


def test_a_conversation_is_worth_the_mean_of_its_invocations() -> None:
    score = average(
        ToolTrajectory(),
        [make_run("a"), make_run("x")],
        references=[expect_calls("a"), expect_calls("b")],
        threshold=0.5,
    )
    assert (score.value, score.passed) == (0.5, True)
    assert score.details["per_invocation"] == [1, 0]
    assert score.explanation == "1 of 2 invocations called the expected tools"


def test_a_conversation_must_be_as_long_as_what_was_expected() -> None:
    with pytest.raises(ValueError, match="1 invocation cannot be compared with 2 expected ones"):
        average(ToolTrajectory(), [make_run("a")], references=[expect_calls("a"), expect_calls("b")])


def test_a_conversation_without_invocations_is_skipped() -> None:
    assert average(ToolTrajectory(), [], references=[]).status == "skipped"


def test_an_invocation_that_was_skipped_is_left_out_of_the_mean() -> None:
    score = average(ToolTrajectory(), [make_run("a"), make_run("b")], references=[expect_calls("a"), Reference()])
    assert (score.value, score.details["per_invocation"]) == (1, [1, None])


@pytest.mark.parametrize(
    ("response", "expected", "value"),
    [
        ("The capital is Paris.", "paris is the capital", 1.0),
        ("Paris", "The capital is Paris.", 0.4),
        ("booked flights", "booking a flight", 0.8),
        ("你好,世界", "世界", 2 / 3),
        ("...", "Paris", 0.0),
    ],
    ids=["in another order", "one word of four", "endings", "characters", "no word"],
)
def test_response_is_compared_word_by_word(response: str, expected: str, value: float) -> None:
    run = AgentTrace(final_response=response, reference=Reference(expected_response=expected))
    assert ResponseMatch()(run).value == pytest.approx(value)


@pytest.mark.parametrize("word", ["y" * 5_000, "ed" * 5_000, "alli" * 5_000, "\u0e33" * 5_000])
def test_long_words_have_tokens_too(word: str) -> None:
    assert tokens(word)


def test_response_is_open_without_one_or_without_expectation() -> None:
    run = AgentTrace(final_response="x")
    assert ResponseMatch()(run).reason == "no reference says which response was expected"
    run = AgentTrace(reference=Reference(expected_response="x"))
    assert ResponseMatch()(run).reason == "the final response was not recorded"
