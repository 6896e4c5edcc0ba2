"""Calls that ask the same and what comes after them: looked up, with the answers that a search would give."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators import checks
from tracegrade.evaluators.checks.repetition import Step, are_polling
from tracegrade.evaluators.checks.repetition.ahead import Ahead
from tracegrade.evaluators.checks.repetition.question import question_of
from tracegrade.evaluators.checks.tool_efficiency import ToolEfficiency
from tracegrade.evaluators.matching import ArgumentMatcher
from tracegrade.evaluators.model import AgentTrace, ToolCall

CHECKS = str(Path(str(checks.__file__)).parent)
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, 1.0, -0.0, float("nan"), 10**23, 1e23, "", "1", "a", "A", " a", "[", "'"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "{"]), VALUES, max_size=2)
MATCHERS = st.builds(ArgumentMatcher, trim=st.booleans(), ignore_case=st.booleans())
STEPS = st.lists(
    st.builds(
        Step,
        position=st.just(0),
        call=st.just(ToolCall(name="get")),
        same=st.sampled_from([None, 1, 2, 3]),
        outcome=st.sampled_from([None, "ok\na", "ok\nb"]),
        tells=st.sampled_from([True]),
        changes=st.sampled_from([False, False, True]),
        is_pause=st.sampled_from([False, False, True]),
    ),
    max_size=12,
)


@given(ARGUMENTS, ARGUMENTS, MATCHERS)
def test_calls_ask_the_same_where_their_arguments_are_equal(one: Any, other: Any, matcher: ArgumentMatcher) -> None:
    questions = [question_of(ToolCall(name="get", args=args), matcher) for args in (one, other)]
    assert (questions[0] == questions[1]) == matcher.accepts(one, other)


@given(ARGUMENTS, MATCHERS)
def test_arguments_in_another_order_of_keys_ask_the_same(args: Any, matcher: ArgumentMatcher) -> None:
    turned = dict(reversed(args.items()))
    assert len({question_of(ToolCall(name="get", args=each), matcher) for each in (args, turned)}) == 1


def test_deeply_nested_arguments_cost_no_stack() -> None:
    args: dict[str, Any] = {}
    for _ in range(100_000):
        args = {"a": [args]}
    call = ToolCall.model_construct(name="get", args=args)
    assert hash(question_of(call, ArgumentMatcher())) == hash(question_of(call, ArgumentMatcher()))


@pytest.mark.parametrize("matcher", [{"mode": "subset"}, {"mode": "superset"}, {"custom": operator.eq}])
def test_what_is_no_equality_is_compared_pair_by_pair(matcher: dict[str, Any]) -> None:
    assert question_of(ToolCall(name="get", args={}), ArgumentMatcher.model_validate(matcher)) is None


@given(STEPS)
def test_polling_is_what_a_search_ahead_finds(steps: Sequence[Step]) -> None:
    looked_up = are_polling(steps)
    assert [looked_up[at] for at, step in enumerate(steps) if step.same is not None] == [
        is_polling(step, steps[at + 1 :]) for at, step in enumerate(steps) if step.same is not None
    ]


def is_polling(step: Step, later_steps: Sequence[Step]) -> bool:
    for later in later_steps:
        if later.same == step.same and later.outcome != step.outcome:
            return later.outcome is not None
        if later.changes and later.same != step.same and not later.is_pause:
            return False
    return False


@given(STEPS, st.integers(0, 12), st.integers(0, 12))
def test_places_ahead_are_those_that_a_search_finds(steps: Sequence[Step], since: int, until: int) -> None:
    ahead = Ahead(steps)
    for same in (None, 1, 2, 3):
        expected = next((at for at in range(since, len(steps)) if steps[at].same == same), None)
        assert ahead.find_question(same, since) == expected
    assert ahead.changes_between(since, until) == any(step.changes for step in steps[since:until])


def turns(length: int, text: Callable[[int], str]) -> list[ToolCall]:
    """So many calls, each by the `NAME ARGUMENT RESULT` of its place."""
    calls = []
    for at in range(length):
        name, argument, result = text(at).split()
        calls.append(ToolCall(name=name, args={"query": argument}, result=result))
    return calls


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda _: "search a same", id="one question over and over"),
        pytest.param(lambda at: f"search {at} same", id="another question each time"),
        pytest.param(lambda at: f"search {at // 3} same", id="each question three times"),
        pytest.param(lambda at: f"search {at % 2} same", id="two questions in turns"),
        pytest.param(lambda at: f"search {at // 12}-{at % 3} same", id="many cycles"),
        pytest.param(lambda at: f"search {at} []", id="searches that find nothing"),
        pytest.param(lambda at: f"search_{at} a same", id="another tool each time"),
        pytest.param(lambda at: f"{'search' if at % 2 else 'write'} {at % 5} {at % 3}", id="reads and writes"),
    ],
)
def test_a_call_of_a_long_run_costs_no_more_than_one_of_a_short_run(text: Callable[[int], str]) -> None:
    short, long = (lines_executed(turns(length, text)) for length in (400, 1_600))
    assert long < 5 * short


def lines_executed(calls: Sequence[ToolCall]) -> int:
    """How many lines of the checks are executed to evaluate a run: its work, whatever else the machine does."""
    trace, evaluate = AgentTrace(tool_calls=tuple(calls)), ToolEfficiency()
    count = 0

    def count_lines(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(CHECKS):
            return None
        count += event == "line"
        return count_lines

    before = sys.gettrace()
    sys.settrace(count_lines)
    try:
        evaluate(trace)
    finally:
        sys.settrace(before)
    return count
