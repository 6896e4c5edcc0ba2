"""What is shown to be labelled: only as much as fits on a page."""

from __future__ import annotations

from typing import Any

import pytest

from tracegrade.queries.pages.labelling.subject import Subject

RUN: Any = "run"
CALLS: Any = [*range(2_000)]


@pytest.mark.parametrize(
    ("position", "first"), [(None, 0), (3, 0), (1_000, 970), (1_999, 1_940)], ids=["run", "begin", "middle", "end"]
)
def test_calls_around_the_labelled_one_are_shown(position: int | None, first: int) -> None:
    subject = Subject.of_run(RUN, CALLS, position)
    shown: list[Any] = [*subject.calls]
    assert shown == [*range(first, first + 60)]
    assert subject.calls_left_out == 1_940
    assert position is None or position in shown


def test_few_calls_and_turns_are_all_shown() -> None:
    assert Subject.of_run(RUN, CALLS[:5], 4).calls == CALLS[:5]
    assert Subject.of_session(CALLS[:5]).runs_left_out == 0


def test_newest_turns_of_a_long_session_are_shown() -> None:
    subject = Subject.of_session(CALLS[:100])
    assert (subject.runs, subject.runs_left_out) == (CALLS[60:100], 60)
