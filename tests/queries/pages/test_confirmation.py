"""What pages say after a form has changed something."""

from __future__ import annotations

import pytest

from tracegrade.queries.pages.confirmation import describe_request, read_confirmation, read_label, write_confirmation
from tracegrade.queries.ports import BackfillSummary

SUMMARY = BackfillSummary(
    runs=2,
    requested={"polite": 2, "tool_error": 1, "weekly": 2},
    requested_before={"tool_error": 1},
    deferred={},
    paused=("polite",),
    scheduled={"weekly": "0 0 * * 0"},
)


def test_request_says_what_was_requested_and_what_waits() -> None:
    text = read_confirmation(write_confirmation("evaluate", 2, *describe_request(SUMMARY)))
    assert text == (
        "Of 2 selected runs: 5 scores requested: they follow after what arrives. 1 score had been requested before and "
        "still waits. 2 scores wait until the evaluator is resumed. 2 scores wait for the schedule of the evaluator."
    )


def test_request_of_nothing_says_so() -> None:
    assert read_confirmation("backfill:0:3:0:0") == (
        "No score was requested. 3 scores had been requested before and still wait."
    )


@pytest.mark.parametrize("value", [None, "", "good", "good:x", "good:1:2", "backfill:1", "removed:1", "other:1", "-"])
def test_value_that_is_none_of_ours_says_nothing(value: str | None) -> None:
    assert read_confirmation(value) is None
    assert read_label(value) is None


@pytest.mark.parametrize("target", ["abc", "abc#3", "session:a:b"])
def test_label_that_was_stored_is_found_again(target: str) -> None:
    assert read_label(write_confirmation("label", "s-1", target)) == ("s-1", target)
