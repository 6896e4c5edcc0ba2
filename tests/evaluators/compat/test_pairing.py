"""Pairing first come, first served, and where comparing is refused."""

from __future__ import annotations

from operator import eq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.compat.pairing import first_come
from tracegrade.evaluators.matching import TooLong, refuse_if_too_long

LETTERS = st.text(alphabet="abc", max_size=8)


def test_each_takes_the_first_that_is_free() -> None:
    assert first_come("ab", "bab", eq) == {0: 1, 1: 0}
    assert first_come("aa", "a", eq) == {0: 0}


def test_who_comes_first_may_take_what_another_needed() -> None:
    assert first_come("xa", "a", lambda one, other: one in {"x", other}) == {0: 0}


@given(LETTERS, LETTERS)
def test_nobody_is_taken_twice_and_nobody_waits_beside_one_that_is_free(these: str, those: str) -> None:
    pairs = first_come(these, those, eq)
    assert len(set(pairs.values())) == len(pairs)
    unpaired = {one for at, one in enumerate(these) if at not in pairs}
    assert unpaired.isdisjoint(other for at, other in enumerate(those) if at not in pairs.values())


@pytest.mark.parametrize(
    ("lengths", "steps", "fault"),
    [
        pytest.param([(2_000, 2_000)], 0, "2,000 calls against 2,000 are too many", id="pairs"),
        pytest.param([(800, 800), (800, 800)], 0, "1,600 calls against 1,600 are too many", id="pairs of all lists"),
        pytest.param(
            [(2, 3)],
            1_000_001,
            r"2 calls against 3 are too many .*\(the limit is 1,000,000 keys of dotted paths\)",
            id="steps",
        ),
    ],
)
def test_what_takes_too_long_is_refused(lengths: list[tuple[int, int]], steps: int, fault: str) -> None:
    with pytest.raises(TooLong, match=fault):
        refuse_if_too_long(*lengths, steps=steps)


def test_what_is_within_the_limit_is_compared() -> None:
    refuse_if_too_long()
    refuse_if_too_long((1_000, 1_000), steps=1_000_000)
