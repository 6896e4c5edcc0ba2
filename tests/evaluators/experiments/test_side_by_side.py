"""The calls of a run beside the expected ones, as a person reads them."""

from __future__ import annotations

import pytest
from tests.support.agent_runs import expect_call, make_call

from tracegrade.evaluators.experiments.side_by_side import show_calls
from tracegrade.evaluators.model import ExpectedCall


@pytest.mark.parametrize(
    ("made", "expected", "lines"),
    [
        ([("a", {"n": 1})], [("a", {"n": 1.0})], ["= a(n=1)  a(n=1.0)"]),
        ([("a", {"n": 1})], [("a", {"n": 2})], ["≠ a(n=1)  a(n=2)"]),
        (["a"], [], ["+ a()"]),
        ([], ["a"], ["-   a()"]),
        (
            ["a", ("c", {"x": "y"})],
            ["a", "b", ("c", {"x": "y"})],
            ["= a()       a()", "-           b()", '= c(x="y")  c(x="y")'],
        ),
        (["a", "x"], ["a", "b"], ["= a()  a()", "+ x()", "-      b()"]),
    ],
    ids=["as expected", "other arguments", "not expected", "not made", "in between", "another one"],
)
def test_calls_are_aligned_by_their_names(made: list[object], expected: list[object], lines: list[str]) -> None:
    assert show_calls(list(map(make_call, made)), list(map(expect_call, expected))) == lines


def test_arguments_that_may_be_any_or_are_not_recorded_are_left_open() -> None:
    call = make_call("a").model_copy(update={"args": None})
    assert show_calls([call], [ExpectedCall(name="a")]) == ["= a(…)  a(…)"]
    assert show_calls([call], [ExpectedCall(name="a", args={})]) == ["≠ a(…)  a()"]


def test_failed_call_says_so_and_a_long_one_is_cut() -> None:
    failed = make_call("a", error="broken")
    (short, long) = show_calls([failed, make_call(("b", {"text": "x" * 100}))], [])
    assert short == "+ a() failed"
    assert len(long) == 62
    assert long.endswith("xxx…")
