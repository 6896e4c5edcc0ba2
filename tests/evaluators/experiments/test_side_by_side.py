"""The calls of a run beside the expected ones, as a person reads them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.agent_runs import expect_call, make_call

from tracegrade.evaluators.experiments.side_by_side import show_calls
from tracegrade.evaluators.matching import ArgumentOptions
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


@pytest.mark.parametrize(
    "fields",
    [{"args_match": "superset"}, {"matcher": "subset"}, {"args_match": ("n",)}, {"matcher": "ignore"}],
    ids=["args_match", "matcher", "paths", "any"],
)
def test_expected_call_says_itself_how_its_arguments_are_compared(fields: dict[str, Any]) -> None:
    expected = ExpectedCall(name="a", args={"n": 1}, **fields)
    assert show_calls([make_call(("a", {"n": 1, "m": 2}))], [expected]) == ["= a(n=1, m=2)  a(n=1)"]
    if fields["matcher" if "matcher" in fields else "args_match"] != "ignore":
        assert show_calls([make_call(("a", {"n": 3}))], [expected]) == ["≠ a(n=3)  a(n=1)"]


def test_options_of_the_evaluator_say_how_all_arguments_are_compared() -> None:
    options = ArgumentOptions.model_validate({"argument_matcher": {"ignore_case": True}})
    calls = [make_call(("a", {"city": "ROME"}))], [expect_call(("a", {"city": "Rome"}))]
    assert [show_calls(*calls, [options])[0][0], show_calls(*calls)[0][0]] == ["=", "≠"]


def test_calls_that_are_swapped_are_as_expected_in_another_order() -> None:
    first, second, third = (("search", {"to": city}) for city in ("Rome", "Oslo", "Bern"))
    made, expected = map(make_call, (second, first, "book")), map(expect_call, (first, second, third))
    assert show_calls(list(made), list(expected)) == [
        '↕ search(to="Oslo")  search(to="Oslo")',
        '= search(to="Rome")  search(to="Rome")',
        "+ book()",
        '-                    search(to="Bern")',
    ]


def test_difference_at_the_end_of_long_arguments_is_shown() -> None:
    made = {"to": "ann@example.com", "body": "Dear Ann, " + "x" * 100 + "17", "n": 1}
    expected = {**made, "body": "Dear Ann, " + "x" * 100 + "71", "cc": "me"}
    assert show_calls([make_call(("send", made))], [expect_call(("send", expected))]) == [
        '≠ send(body=…xxxxxxxxxx17", …)  send(body=…xxxxxxxxxx71", cc="me", …)'
    ]


def test_many_long_differences_take_two_lines() -> None:
    made = {f"key {number}": "x" * 30 + "a" * 50 for number in range(3)}
    expected = {name: value.replace("a", "b") for name, value in made.items()}
    first, second = show_calls([make_call(("send", made))], [expect_call(("send", expected))])
    assert first.startswith("≠ send(key 0=…xxxxxxxxxxaaaa")
    assert second.startswith("  expected: send(key 0=…xxxxxxxxxxbbbb")
