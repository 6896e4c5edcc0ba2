"""Did the agent ask the same thing twice?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.checks.tool_efficiency import ToolEfficiency
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall


def judged(calls: Any, **options: Any) -> Score:
    return ToolEfficiency(**options)(AgentTrace(tool_calls=tuple(map(made, calls))))


def made(call: Any) -> ToolCall:
    return call if isinstance(call, ToolCall) else ToolCall(name=call, args={})


def search(query: object, **fields: Any) -> ToolCall:
    return ToolCall(name="search", args={"query": query}, **fields)


@pytest.mark.parametrize(
    ("calls", "value", "loop"),
    [
        pytest.param("abc", 1, False, id="three tools"),
        pytest.param("aba", 2 / 3, False, id="one again"),
        pytest.param("aab", 2 / 3, True, id="one right again"),
        pytest.param("ababab", 1 / 3, False, id="two in turns"),
        pytest.param([search("boots"), search("shoes")], 1, False, id="other arguments"),
        pytest.param([search(1), search(1.0)], 1 / 2, True, id="a number written differently"),
        pytest.param([search(1), search(query=True)], 1, False, id="one and true"),
    ],
)
def test_repeats_lower_the_score(calls: Any, value: float, *, loop: bool) -> None:
    score = judged(calls)
    assert score.value == pytest.approx(value)
    assert score.details["loop"] is loop


def test_details_name_the_calls_that_were_repeated() -> None:
    score = judged("abbab")
    assert score.details["redundant"] == [{"position": at, "name": name} for at, name in ((2, "b"), (3, "a"), (4, "b"))]
    assert score.details["consecutive_duplicates"] == [{"position": 2, "name": "b", "retry": False}]
    assert score.explanation == (
        "3 of 5 calls repeated an earlier one: b, a; the same call stands several times in a row"
    )


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param({"status": "error"}, id="by its status"),
        pytest.param({"result": '{"error": "timeout"}'}, id="by its result"),
        pytest.param({"status": "not_executed"}, id="never executed"),
    ],
)
def test_trying_a_failed_call_again_is_no_waste(failure: dict[str, Any]) -> None:
    calls = [search("boots", **failure), search("boots", result="ok")]
    score = judged(calls)
    assert (score.value, score.details["retries"], score.details["loop"]) == (1, 1, False)
    assert score.explanation == "no call was repeated but to retry a failure"
    assert judged(calls, ignore_retry_after_error=False).value == 0.5


def test_repeating_after_the_retry_went_well_is_waste() -> None:
    calls = [search("boots", status="error"), search("boots", result="ok"), search("boots", result="ok")]
    assert judged(calls).value == pytest.approx(2 / 3)


def test_hammering_a_failing_tool_is_a_loop_though_no_waste() -> None:
    score = judged([search("boots", status="error")] * 3)
    assert (score.value, score.details["loop"]) == (1, True)


def test_calls_without_recorded_arguments_are_left_out_and_counted() -> None:
    score = judged([ToolCall(name="a"), ToolCall(name="a"), search("boots"), search("boots")])
    assert score.value == 0.5
    assert score.details["not_compared"] == 2


def test_nothing_to_compare_is_skipped() -> None:
    assert judged("").reason == "the agent called no tools"
    assert judged([ToolCall(name="a")]).reason == "the arguments of the tool calls were not recorded"


def test_names_alone_need_no_arguments() -> None:
    assert judged([ToolCall(name="a"), ToolCall(name="a")], argument_matcher="ignore").value == 0.5


def test_text_that_is_no_object_is_compared_as_text() -> None:
    broken = ToolCall(name="a", args_text="{broken")
    assert judged([broken, broken, ToolCall(name="a", args_text="{other"), "a"]).value == pytest.approx(3 / 4)


def test_a_tool_may_have_its_own_matcher() -> None:
    calls = [search("boots"), search("BOOTS")]
    assert judged(calls).value == 1
    assert judged(calls, argument_matchers={"search": {"ignore_case": True}}).value == 0.5


def test_too_many_different_calls_are_skipped_with_the_reason() -> None:
    score = judged(map(search, range(1_500)), argument_matcher={"custom": "operator:is_"})
    assert score.status == "skipped"
    assert "are too many to compare (the limit is 1,000,000 pairs)" in str(score.reason)


def test_a_long_loop_is_not_too_long() -> None:
    score = judged("ab" * 5_000)
    assert (score.value, score.details["distinct"]) == (0.0002, 2)


@given(st.lists(st.sampled_from("abc"), min_size=1), st.randoms())
def test_order_never_changes_the_score(calls: list[str], shuffle: Any) -> None:
    before = judged(calls).value
    shuffle.shuffle(calls)
    assert judged(calls).value == before == pytest.approx(len(set(calls)) / len(calls))
