"""Scores counted for /metrics, under names that others choose."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from tracegrade.collector.metrics import counters, score_counts
from tracegrade.collector.metrics.score_counts import BoundedPairs, count_scores
from tracegrade.collector.records.row_mapping import MEMBERS


@pytest.fixture(autouse=True)
def _no_counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(score_counts, "_NAMES", BoundedPairs(pairs=3, firsts=2))
    counters.scores.clear()
    yield
    counters.scores.clear()


def scores(*rows: tuple[str, str | None, bool | None]) -> pa.Table:
    """A row a run, by the run, its agent and whether the score passed."""
    return pa.table(
        {
            "evaluator": ["tool_error"] * len(rows),
            "target_id": [run for run, _, _ in rows],
            "agent_trace_id": [run for run, _, _ in rows],
            "agent_name": pa.array([agent for _, agent, _ in rows], pa.string()),
            "passed": pa.array([passed for *_, passed in rows], pa.bool_()),
        }
    )


def runs(**services: str | None) -> dict[str, pa.Table]:
    names = pa.array(services.values(), pa.string())
    return {"agent_traces": pa.table({"agent_trace_id": list(services), "service_name": names})}


def counted() -> dict[tuple[str, str, str], float]:
    """The counts by service, agent and passed."""
    (metric,) = counters.scores.collect()
    return {
        (sample.labels["service"], sample.labels["agent"], sample.labels["passed"]): sample.value
        for sample in metric.samples
        if sample.name == "tracegrade_scores_total"
    }


def test_scores_are_counted_by_service_agent_and_passed() -> None:
    rows = [("a", "pilot", True), ("b", "pilot", True), ("a", "pilot", False), ("a", "pilot", None)]
    count_scores(scores(*rows), runs(a="shop", b="shop"))
    assert counted() == {("shop", "pilot", "true"): 2, ("shop", "pilot", "false"): 1, ("shop", "pilot", ""): 1}


def test_what_is_not_recorded_has_an_empty_name() -> None:
    count_scores(scores(("a", None, True)), runs(a=None))
    count_scores(scores(("b", None, True)), {})
    assert counted() == {("", "", "true"): 2}


def test_score_of_a_session_belongs_to_the_service_of_its_runs() -> None:
    of_session = scores(("session:s", None, True)).set_column(2, "agent_trace_id", pa.array([None], pa.string()))
    members = pa.table({"target_id": ["session:s"], "agent_trace_id": ["a"]})
    count_scores(of_session, {**runs(a="shop"), MEMBERS: members})
    assert counted() == {("shop", "", "true"): 1}


def test_names_beyond_a_number_are_counted_together_and_known_ones_go_on() -> None:
    services = {f"r{number}": f"service {number}" for number in range(30)}
    count_scores(scores(*((run, "pilot", True) for run in services)), runs(**services))
    count_scores(scores(*(("r0", f"agent {number}", True) for number in range(30))), runs(**services))
    count_scores(scores(("r1", "pilot", True)), runs(**services))
    assert counted() == {
        ("service 0", "pilot", "true"): 1,
        ("service 1", "pilot", "true"): 2,
        ("other", "other", "true"): 28,
        ("service 0", "agent 0", "true"): 1,
        ("service 0", "other", "true"): 29,
    }


def test_long_name_is_cut() -> None:
    count_scores(scores(("a", "x" * 5_000, True)), runs(a="s"))
    assert list(counted()) == [("s", "x" * 100, "true")]
