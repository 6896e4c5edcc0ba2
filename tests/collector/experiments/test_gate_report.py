"""A gate counts the scores that it selects, and names the lowest of those that failed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.otlp import run_id, trace_id
from tests.support.score_rows import BEGAN, insert_scores, make_judge_score, make_person_score
from tests.support.store import Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.experiments.gate_file import Gate, Selection
from tracegrade.collector.experiments.gate_report import GateReport, LowScore, make_report

NOW = BEGAN + timedelta(hours=1)


def add_score(store: Store, trace: int, value: float | None, *, at: datetime = BEGAN, **fields: Any) -> None:
    """A score of `polite` on the run of a trace; it passes from 0.5 on."""
    row = {
        "agent_trace_id": run_id(trace),
        "trace_id": trace_id(trace),
        "agent_name": "travel",
        "target_time": at,
        "value": value,
        "passed": None if value is None else value >= 0.5,
        "explanation": f"it is {value}",
        **fields,
    }
    with store.results.transaction() as connection:
        insert_scores(connection, make_judge_score(run_id(trace), **row))


def report(store: Store, *, traces: list[int] | None = None, max_rows: int = 1_000, **gate: Any) -> GateReport:
    wanted = Gate.model_validate({"evaluators": {"polite": {"min_mean": 0.9}}, **gate})
    trace_ids = None if traces is None else {trace_id(trace) for trace in traces}
    return make_report(LocalSource(store.database, max_rows=max_rows).read, wanted, now=NOW, trace_ids=trace_ids)


def counted(store: Store, **gate: Any) -> int:
    """How many scores decide."""
    (check,) = report(store, **gate).result.checks
    return check.n


def test_figures_are_those_of_the_active_scores_of_evaluators(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_score(store, 1, 1.0)
        add_score(store, 2, 0.4)
        add_score(store, 3, None, status="skipped", reason="no")
        add_score(store, 4, None, status="error", reason="broken")
        add_score(store, 5, 0.0, superseded_at=BEGAN)
        with store.results.transaction() as connection:
            insert_scores(connection, make_person_score(run_id(1), value=0.0, passed=False))
        (check,) = report(store).result.checks
        assert (check.status, check.n) == ("failed", 2)
        assert check.value == pytest.approx(0.7)
        assert (check.skipped, check.errors) == (1, 1)


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        ({}, 3),
        ({"since": "90m"}, 2),
        ({"until": "90m"}, 1),
        ({"since": "2026-01-01T12:00", "until": "2026-01-01T12:01"}, 1),
        ({"agent": "travel"}, 2),
        ({"agent": "other"}, 1),
        ({"traces": [1, 3]}, 2),
    ],
    ids=str,
)
def test_scores_are_selected_by_time_agent_and_trace(tmp_path: Path, selection: dict[str, Any], count: int) -> None:
    with opened(tmp_path) as store:
        add_score(store, 1, 1.0, at=BEGAN - timedelta(hours=5))
        add_score(store, 2, 1.0)
        add_score(store, 3, 1.0, at=BEGAN + timedelta(minutes=30), agent_name="other")
        assert counted(store, **selection) == count


def test_scores_are_selected_by_what_their_run_says(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, 2)
        with store.results.transaction() as connection:
            connection.execute(
                "update agent_traces set agent_version = '2', service_name = 'shop', environment = 'prod' "
                "where agent_trace_id = $run",
                {"run": run_id(2)},
            )
        add_score(store, 1, 1.0)
        add_score(store, 2, 1.0)
        chosen = [{"agent_version": "2"}, {"service": "shop"}, {"environment": "prod"}, {"environment": "test"}]
        assert [counted(store, **each) for each in chosen] == [1, 1, 1, 0]


def test_baseline_is_selected_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for trace in range(1, 5):
            add_score(store, trace, 0.9, at=BEGAN - timedelta(days=2))
            add_score(store, 10 + trace, 0.7)
        limits = {"polite": {"max_mean_drop": 0.1}}
        drop = report(store, since="1d", evaluators=limits, baseline={"until": "1d"}).result
        assert (drop.status, drop.checks[0].baseline_n) == ("failed", 4)
        assert drop.checks[0].change == pytest.approx(-0.2)
        nothing = report(store, since="1d", evaluators=limits, baseline={"until": "30d"}).result
        assert nothing.status == "no_data"


def test_lowest_scores_of_a_failed_check_are_named(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for trace, value in enumerate((0.9, 0.1, 0.6, 0.2, 1.0, 0.3, 0.4, 0.5), start=1):
            add_score(store, trace, value)
        failed = report(store)
        assert [score.value for score in failed.lowest["polite"]] == [0.1, 0.2, 0.3, 0.4, 0.5]
        assert failed.lowest["polite"][0] == LowScore(run_id(2), 0.1, "it is 0.1")
        assert report(store, evaluators={"polite": {"min_mean": 0.1}}).lowest == {}


def test_scores_of_very_many_traces_are_read_in_portions(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for trace in (1, 2, 11_000):
            add_score(store, trace, 0.0 if trace == 2 else 1.0)
        found = report(store, traces=list(range(1, 12_001)))
        (check,) = found.result.checks
        assert check.n == 3
        assert check.value == pytest.approx(2 / 3)
        assert [score.target_id for score in found.lowest["polite"]] == [run_id(2)]
        assert found.about == "12,000 imported traces"


def test_report_says_which_scores_count(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert report(store).about == "all runs"
        about = report(store, since="1h", agent="travel", agent_version="2").about
        assert about == "all runs, since 2026-01-01 12:00:00 UTC, agent travel, agent version 2"
    assert Selection().model_dump(exclude_none=True) == {}
