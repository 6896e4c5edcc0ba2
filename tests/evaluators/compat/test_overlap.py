"""Precision, recall and F1 of what was called and what was expected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.compat.overlap import Overlap
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, ToolCall

SIZES = st.integers(min_value=0, max_value=50)


def test_shares_are_of_what_was_called_and_of_what_was_expected() -> None:
    overlap = Overlap(matched=1, actual=2, expected=4)
    assert (overlap.precision, overlap.recall) == (0.5, 0.25)
    assert overlap.f1 == pytest.approx(1 / 3)


@pytest.mark.parametrize("overlap", [Overlap(0, 0, 0), Overlap(0, 3, 0), Overlap(0, 0, 3), Overlap(0, 3, 3)])
def test_without_a_match_every_share_is_nought(overlap: Overlap) -> None:
    assert (overlap.precision, overlap.recall, overlap.f1) == (0, 0, 0)


@given(SIZES, SIZES, SIZES)
def test_f1_is_between_the_shares(matched: int, more: int, others: int) -> None:
    overlap = Overlap(matched, matched + more, matched + others)
    low, high = sorted((overlap.precision, overlap.recall))
    assert low - 1e-9 <= overlap.f1 <= high + 1e-9


def test_f1_keeps_the_digits_of_the_other_systems() -> None:
    assert Overlap(matched=6, actual=7, expected=8).f1 == 0.7999999999999999
    assert Overlap(matched=4, actual=5, expected=5).f1 == 0.8000000000000002


@pytest.mark.parametrize(
    ("name", "options", "value"),
    [
        ("dokimos:tool_correctness", {}, 1),
        ("floeval:tool_selection_accuracy", {}, 1),
        ("pydantic_evals:trajectory_match", {"order": "any_order"}, 1),
        ("ragas:tool_call_f1", {}, 0),
    ],
)
def test_each_system_says_itself_what_two_empty_lists_are_worth(name: str, options: dict[str, str], value: int) -> None:
    run = AgentTrace(reference=Reference(expected_tool_calls=()))
    (verdict,) = evaluate(configure(name, options=options), run)
    assert verdict.value == value


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dokimos:tool_correctness", {}),
        ("floeval:tool_selection_accuracy", {}),
        ("pydantic_evals:trajectory_match", {"order": "any_order"}),
        ("ragas:tool_call_f1", {}),
    ],
)
def test_systems_with_an_f1_of_names_agree_on_it(name: str, options: dict[str, str]) -> None:
    run = AgentTrace(
        tool_calls=(ToolCall.of("search"), ToolCall.of("book")),
        reference=Reference(expected_tool_calls=(ExpectedCall(name="search"), ExpectedCall(name="pay"))),
    )
    (verdict,) = evaluate(configure(name, options=options), run)
    assert verdict.value == 0.5
