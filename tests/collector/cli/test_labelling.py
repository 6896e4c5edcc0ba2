"""The lines of `tracegrade annotate --queue`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tracegrade.collector.cli.labelling import _format

ENTRY: dict[str, Any] = {
    "started_at": datetime(2026, 1, 1, 12),  # noqa: DTZ001 - as the store keeps it
    "agent_name": "travel",
    "evaluator": "polite",
    "passed": False,
    "value": 0.456,
    "reason": "polite is unsure: 0.46, and 0.5 passes",
    "target_id": "session:s1",
}


def test_entry_of_the_queue_has_its_score_its_reason_and_its_id() -> None:
    assert _format(ENTRY).plain.splitlines() == [
        "01-01 12:00 travel           polite bad 0.46: polite is unsure: 0.46, and 0.5 passes",
        "            session:s1",
    ]


def test_entry_shows_what_is_not_recorded_as_missing_and_stays_in_its_lines() -> None:
    unknown = {"started_at": None, "agent_name": None, "passed": None, "value": None, "target_id": "session:a\nb"}
    first, second = _format({**ENTRY, **unknown}).plain.splitlines()
    assert first.split() == ["?", "polite:", "polite", "is", "unsure:", "0.46,", "and", "0.5", "passes"]
    assert second.strip().startswith("session:a")
