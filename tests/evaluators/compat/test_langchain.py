"""agentevals' trajectory match: messages in strict mode, calls in the others."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
from tests.support.agent_runs import make_message, make_run

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.langchain import TrajectoryMatch
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.model import (
    AgentTrace,
    ExpectedCall,
    JsonObject,
    Message,
    Reference,
    Score,
    ToolCall,
    ToolCallPart,
)

MODES = ("strict", "unordered", "subset", "superset")


def make_call_message(*calls: Any, role: str = "assistant") -> Message:
    return Message(role=role, parts=tuple(ToolCallPart(name=name, arguments=args) for name, args in map(_pair, calls)))


def compared(actual: Any, expected: Any, **options: Any) -> Score:
    """In strict mode, message by message."""
    reference = Reference(expected_trajectory=tuple(expected))
    return TrajectoryMatch(**options)(AgentTrace(messages=tuple(actual), reference=reference))


def score_calls(actual: Any, expected: Any, mode: str = "strict", **options: Any) -> Score:
    return TrajectoryMatch(trajectory_match_mode=mode, **options)(make_run(actual, expected))


def same_city(actual: JsonObject, reference: JsonObject) -> bool:
    return str(actual["city"]).lower() == str(reference["city"]).lower()


def _pair(call: Any) -> tuple[str, Any]:
    return call if isinstance(call, tuple) else (call, {})


@pytest.mark.parametrize(
    ("actual", "expected", "values"),
    [
        pytest.param("", "", (1, 1, 1, 1), id="two empty lists"),
        pytest.param("", "a", (0, 0, 1, 0), id="nothing called"),
        pytest.param("a", "", (0, 0, 0, 1), id="nothing expected"),
        pytest.param("ab", "ab", (1, 1, 1, 1), id="as expected"),
        pytest.param("ba", "ab", (0, 1, 1, 1), id="in another order"),
        pytest.param("abx", "ab", (0, 0, 0, 1), id="one too many"),
        pytest.param("a", "ab", (0, 0, 1, 0), id="one too few"),
        pytest.param("aa", "a", (0, 0, 0, 1), id="a call counts once"),
    ],
)
def test_a_trajectory_matches_or_does_not(actual: str, expected: str, values: tuple[int, ...]) -> None:
    assert tuple(score_calls(actual, expected, mode).value for mode in MODES) == values


def test_calls_change_places_within_a_message_only() -> None:
    assert compared([make_call_message("a", "b")], [make_call_message("b", "a")]).value == 1
    assert (
        compared(
            [make_call_message("a"), make_call_message("b")], [make_call_message("b"), make_call_message("a")]
        ).value
        == 0
    )
    assert compared([make_call_message("a"), make_call_message("b")], [make_call_message("a", "b")]).value == 0


def test_roles_count_and_words_do_not() -> None:
    assert (
        compared(
            [make_message("user", "one"), make_message("assistant", "hello")],
            [make_message("human", "two"), make_message("ai", "hello")],
        ).value
        == 1
    )
    assert (
        compared([make_message("user", "hello")], [make_message("assistant", "hello")]).explanation
        == "message 0 is of role user, expected is assistant"
    )


def test_strict_tells_where_the_trajectories_part() -> None:
    assert compared([make_call_message("a")], []).explanation == "1 message where 0 are expected"
    assert (
        compared([make_call_message("a")], [make_message("assistant", "hello")]).explanation
        == "message 0 calls a, expected are nothing"
    )
    assert compared([make_call_message("a")], [make_call_message("b")]).explanation == "not expected in message 0: a"


def test_a_list_of_expected_calls_is_compared_with_the_calls_and_not_with_the_messages() -> None:
    trace = AgentTrace(
        messages=(make_message("user", "hello"), make_call_message("a", "b"), make_message("assistant", "hello")),
        tool_calls=(ToolCall(name="a", args={}), ToolCall(name="b", args={})),
        reference=Reference(expected_tool_calls=(ExpectedCall(name="a"), ExpectedCall(name="b"))),
    )
    assert TrajectoryMatch()(trace).value == 1


def test_without_recorded_messages_each_call_is_a_message_of_its_own() -> None:
    steps = (
        make_call_message("a"),
        make_message("tool", "hello"),
        make_call_message("b"),
        make_message("tool", "hello"),
    )
    trace = AgentTrace(
        tool_calls=(ToolCall(name="a", args={}), ToolCall(name="b", args={})),
        reference=Reference(expected_trajectory=steps),
    )
    assert TrajectoryMatch()(trace).value == 1


@pytest.mark.parametrize(
    ("mode", "value"),
    [("exact", 0), ("ignore", 1), ("subset", 0), ("superset", 1)],
)
def test_argument_modes_are_named_from_the_actual_side(mode: str, value: int) -> None:
    actual, expected = [("a", {"q": 1, "more": 2})], [("a", {"q": 1})]
    assert score_calls(actual, expected, tool_args_match_mode=mode).value == value


def test_a_subset_trajectory_turns_the_argument_modes_round() -> None:
    actual, expected = [("a", {"q": 1, "more": 2})], [("a", {"q": 1})]
    assert score_calls(actual, expected, "subset", tool_args_match_mode="superset").value == 0
    assert score_calls(actual, expected, "subset", tool_args_match_mode="subset").value == 1


def test_calls_are_paired_first_come_first_served() -> None:
    actual, expected = [("a", {"q": 1, "p": 2}), ("a", {"q": 1})], [("a", {"q": 1}), ("a", {"q": 1, "p": 2})]
    assert score_calls(actual, expected, "superset", tool_args_match_mode="superset").value == 0
    assert score_calls(actual, expected[::-1], "superset", tool_args_match_mode="superset").value == 1


@pytest.mark.parametrize(
    ("override", "actual", "expected", "value"),
    [
        pytest.param("ignore", {"q": 1}, {"q": 2}, 1, id="another mode"),
        pytest.param("banana", {"q": 1}, {"q": 2}, 1, id="an unknown word ignores"),
        pytest.param("", {"q": 1}, {"q": 2}, 0, id="an empty word changes nothing"),
        pytest.param([], {"q": 1}, {"q": 2}, 0, id="no paths change nothing"),
        pytest.param(None, {"q": 1}, {"q": 2}, 0, id="null changes nothing"),
        pytest.param(["f.a"], {"f": {"a": 1, "b": 2}}, {"f": {"a": 1}}, 1, id="a path"),
        pytest.param(["f.a", "f.b"], {"f": {"a": 1, "b": 2}}, {"f": {"a": 1}}, 0, id="two paths"),
        pytest.param(["k"], {"k": None}, {}, 1, id="null is missing to a path"),
        pytest.param(["k"], {"k": 0}, {"k": False}, 1, id="0 is false"),
        pytest.param(same_city, {"city": "PARIS"}, {"city": "Paris"}, 1, id="a function"),
        pytest.param(operator.eq, {"q": 1}, {"q": 1}, 1, id="a function of the library"),
    ],
)
def test_a_tool_may_have_a_rule_of_its_own(override: Any, actual: Any, expected: Any, value: int) -> None:
    assert score_calls([("a", actual)], [("a", expected)], tool_args_match_overrides={"a": override}).value == value
    assert score_calls([("b", {"q": 1})], [("b", {"q": 2})], tool_args_match_overrides={"a": override}).value == 0


def test_a_function_that_cannot_be_found_is_refused() -> None:
    with pytest.raises(WrongOptions, match="tool_args_match_overrides"):
        configure("langchain:trajectory_match", options={"tool_args_match_overrides": {"a": "nowhere:match"}})


def test_overrides_are_part_of_the_configuration_hash() -> None:
    hashes = {
        configure("langchain:trajectory_match", options={"tool_args_match_overrides": overrides}).config_hash
        for overrides in (None, {"a": "ignore"}, {"a": ["q"]}, {"a": same_city})
    }
    assert len(hashes) == 4


def test_values_are_equal_as_python_has_it() -> None:
    assert score_calls([("a", {"q": 1})], [("a", {"q": True})]).value == 1
    assert score_calls([("a", {"q": 2**70})], [("a", {"q": 2**70 + 1})]).value == 0
    assert score_calls([("a", {"q": math.nan})], [("a", {"q": float("nan")})], tool_args_match_mode="subset").value == 0


def test_arguments_that_are_no_object_equal_their_own_text_alone() -> None:
    assert compared([make_call_message(("sh", "ls"))], [make_call_message(("sh", "ls"))]).value == 1
    assert compared([make_call_message(("sh", "ls"))], [make_call_message(("sh", {}))]).value == 0
    assert (
        compared(
            [make_call_message(("sh", "ls"))], [make_call_message(("sh", {}))], tool_args_match_mode="subset"
        ).value
        == 0
    )


def test_nothing_expected_by_anybody_is_skipped() -> None:
    assert TrajectoryMatch()(AgentTrace()).reason == "no expected tool calls"


def test_arguments_that_were_not_recorded_leave_the_score_open() -> None:
    unrecorded = [("a", None)]
    assert score_calls(unrecorded, [("a", {"q": 1})]).reason == "the arguments of a were not recorded"
    assert (
        compared([make_call_message(("", None))], [make_call_message(("", {}))]).reason
        == "the arguments of  were not recorded"
    )
    assert score_calls(unrecorded, [("a", {"q": 1})], tool_args_match_mode="ignore").value == 1
    assert score_calls(unrecorded, [("a", None)]).value == 1


def test_more_calls_than_can_be_compared_are_skipped() -> None:
    assert "too many to compare" in str(score_calls("ab" * 1_000, "ba" * 1_000, "superset").reason)
    assert score_calls("ab" * 1_000, "ab" * 1_000).value == 1


@pytest.mark.parametrize("mode", ["unordered", "subset", "superset"])
def test_dotted_paths_count_towards_what_can_be_compared(mode: str) -> None:
    calls = [("a", {"q": {"x": 1}})] * 600
    refused = score_calls(calls, calls, mode, tool_args_match_overrides={"a": ["q.x", "q.y"]})
    assert "keys of dotted paths" in str(refused.reason)
    assert score_calls(calls, calls, mode, tool_args_match_overrides={"b": ["q.x", "q.y"]}).value == 1
    assert score_calls(calls, calls, tool_args_match_overrides={"a": ["q.x", "q.y"]}).value == 1
