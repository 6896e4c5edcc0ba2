"""When Dokimos takes arguments for the same: Java's strings, exact numbers, modes from the expected side."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.compat.dokimos.arguments import TolerantArgumentMatcher
from tracegrade.evaluators.compat.dokimos.java_text import fold, is_blank, trim
from tracegrade.evaluators.model import JsonObject


@pytest.mark.parametrize(
    ("one", "other", "options"),
    [
        pytest.param("TITLE", "t\u0131tle", {"case_insensitive": True}, id="dotless i"),
        pytest.param("İ", "i", {"case_insensitive": True}, id="dotted I"),
        pytest.param("\u212a", "k", {"case_insensitive": True}, id="Kelvin sign"),
        pytest.param("ΟΔΟΣ", "οδος", {"case_insensitive": True}, id="final sigma"),
        pytest.param("\u1f80", "\u1f88", {"case_insensitive": True}, id="iota below"),
        pytest.param("\t Paris\n", "Paris", {"trim_strings": True}, id="control characters"),
        pytest.param([" A", {"k": "b "}], ["a", {"k": "B"}], {"trim_strings": True, "case_insensitive": True}, id="in"),
        pytest.param(1, 1.0, {}, id="a whole float"),
        pytest.param(0, -0.0, {}, id="negative zero"),
        pytest.param(10**23, 1e23, {}, id="a float by its text"),
        pytest.param(float("nan"), float("nan"), {}, id="NaN"),
        pytest.param(float("inf"), float("inf"), {}, id="infinity"),
    ],
)
def test_arguments_that_java_takes_for_equal(one: object, other: object, options: JsonObject) -> None:
    assert TolerantArgumentMatcher(**options).matches({"v": one}, {"v": other})
    assert TolerantArgumentMatcher(**options).matches({"v": other}, {"v": one})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("STRASSE", "straße", id="sharp s"),
        pytest.param("\ufb01", "FI", id="ligature"),
        pytest.param("\u00a0Paris", "Paris", id="no-break space"),
        pytest.param("\u2003Paris", "Paris", id="em space"),
        pytest.param("e\u0301", "é", id="another normal form"),
        pytest.param({"K": 1}, {"k": 1}, id="keys"),
        pytest.param(1, True, id="a boolean"),
        pytest.param(1, "1", id="a number and its text"),
        pytest.param(None, "null", id="null and its text"),
        pytest.param(2**53, 2**53 + 1, id="integers beyond a double"),
        pytest.param(0.1 + 0.2, 0.3, id="a rounding error"),
    ],
)
def test_arguments_that_java_takes_for_different(one: object, other: object) -> None:
    matcher = TolerantArgumentMatcher(trim_strings=True, case_insensitive=True)
    assert not matcher.matches({"v": one}, {"v": other})


@pytest.mark.parametrize(
    ("mode", "more", "fewer", "no_arguments"),
    [("EXACT", False, False, False), ("SUBSET", True, False, False), ("SUPERSET", False, True, True)],
)
def test_modes_are_named_from_the_expected_side(mode: str, more: bool, fewer: bool, no_arguments: bool) -> None:  # noqa: FBT001
    matcher = TolerantArgumentMatcher.model_validate(mode)
    expected: JsonObject = {"q": "x", "n": None}
    assert matcher.matches(expected, {**expected, "m": 1}) is more
    assert matcher.matches(expected, {"q": "x"}) is fewer
    assert matcher.matches(expected, None) is no_arguments
    assert not matcher.matches(expected, {"q": "y", "n": None})


def test_ignored_arguments_match_whatever_they_are() -> None:
    assert TolerantArgumentMatcher.model_validate("IGNORE").matches({"q": 1}, None)


def test_a_function_may_answer_instead() -> None:
    matcher = TolerantArgumentMatcher.model_validate(lambda expected, actual: len(expected) == len(actual))
    assert matcher.matches({"a": 1}, {"b": 2})
    assert not matcher.matches({"a": 1}, {})


def test_arguments_nested_beyond_any_stack_are_compared() -> None:
    one: list[Any] = []
    other: list[Any] = []
    for _ in range(50_000):
        one, other = [one], [other]
    assert TolerantArgumentMatcher().matches({"v": one}, {"v": other})


@given(st.text(), st.text())
def test_folding_knows_no_direction(one: str, other: str) -> None:
    assert len(fold(one)) == len(one)
    assert fold(fold(one)) == fold(one)
    assert fold(one + other) == fold(one) + fold(other)


@pytest.mark.parametrize(
    ("text", "is_white"),
    [("", True), (" \t\u2003\n", True), ("\u00a0", False), ("\u2007", False), ("\u202f", False), ("\x85", False)],
    ids=["empty", "white space", "no-break", "figure", "narrow no-break", "next line"],
)
def test_spaces_that_do_not_break_are_not_blank(text: str, is_white: bool) -> None:  # noqa: FBT001
    assert is_blank(text) is is_white
    assert not is_blank(text + "x")


def test_trimming_takes_control_characters_and_leaves_wide_spaces() -> None:
    assert trim("\x00\x1f \u2003x\u00a0 ") == "\u2003x\u00a0"
