"""The lines of `tracegrade tail`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tracegrade.collector.cli.tail import format_run

EVALUATORS = (
    "run_completion",
    "tool_call_validity",
    "tool_efficiency",
    "tool_error",
    "polite",
    "no_refund_without_lookup",
)
SHOWN = ["✓ completion 1.00", "✓ call_validity 1.00", "✓ efficiency 1.00", "✓ error 1.00", "✓ polite 1.00"]


def run(count: int = len(EVALUATORS), **fields: Any) -> dict[str, Any]:
    scores = [{"evaluator": name, "status": "scored", "value": 1.0, "passed": True} for name in EVALUATORS[:count]]
    return {
        "started_at": datetime(2026, 1, 1, 12, tzinfo=UTC),
        "trace_id": "5f0c" * 8,
        "agent_name": "travel_agent",
        "service_name": "shop",
        "input": "Find me a flight to Paris and a hotel near the station",
        "tool_call_count": 3,
        "scores": scores,
        "completeness": "complete",
        **fields,
    }


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
def test_no_score_is_cut_whatever_the_width(width: int) -> None:
    text = format_run(run(), width=width).plain
    assert " ".join(text.split()).endswith(" ".join([*SHOWN, "✓ no_refund_without_lookup 1.00"]))
    assert max(map(len, text.splitlines())) <= width


def test_one_line_is_kept_where_a_shorter_question_makes_room() -> None:
    text = format_run(run(2), width=100).plain
    assert "\n" not in text
    assert "Find me a" in text
    assert "Find me a flight to Paris and a hotel" not in text


def test_question_is_not_shortened_where_that_makes_no_room() -> None:
    first, *further = format_run(run(), width=80).plain.splitlines()
    assert "Find me a flight to Paris" in first
    assert further
    assert all(each.startswith(" " * 18) for each in further)


def test_word_about_a_partial_run_is_never_cut_either() -> None:
    assert format_run(run(completeness="partial"), width=60).plain.endswith("(partial)")


def test_line_into_a_pipe_is_one() -> None:
    assert "\n" not in format_run(run()).plain
