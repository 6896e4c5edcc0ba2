"""A gate counts the scores that it selects, and names the lowest of those that failed."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.experiments import make_recorded_run, make_start
from tests.support.otlp import run_id, trace_id
from tests.support.score_rows import BEGAN, insert_scores, make_judge_score, make_person_score
from tests.support.store import Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.errors import Fault
from tracegrade.collector.experiments.gate_file import Gate, Selection
from tracegrade.collector.experiments.gate_report import GateReport, LowScore, make_report
from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.queries.ports import ExperimentRuns

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


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ({"baseline": {"agent": "travel"}, "agent": "travel"}, "the baseline has the scores of the gate itself"),
        ({"baseline": {"since": "1d"}, "since": "24h"}, "the baseline has the scores of the gate itself"),
        ({"baseline": {"experiment": "x"}}, "there is no experiment 'x'"),
    ],
    ids=["agent", "same time in other words", "no experiment"],
)
def test_baseline_that_is_the_gate_itself_is_refused(tmp_path: Path, gate: dict[str, Any], message: str) -> None:
    with opened(tmp_path) as store, pytest.raises(Fault, match=message) as caught:
        report(store, evaluators={"polite": {"max_mean_drop": 0.1}}, **gate)
    assert caught.value.exit_code == (1 if "no experiment" in message else 2)


def test_scores_that_gate_and_baseline_share_are_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_score(store, 1, 0.9, at=BEGAN - timedelta(days=2))
        add_score(store, 2, 0.9)
        limits = {"polite": {"max_mean_drop": 0.1}}
        overlapping = report(store, since="1d", evaluators=limits, baseline={"since": "30d"})
        assert overlapping.warning == "1 score of the gate is in the baseline, too, which hides changes"
        imported = report(store, traces=[1, 2], evaluators=limits, baseline={"agent": "travel"})
        assert imported.warning == "2 scores of the gate are in the baseline, too, which hides changes"
        assert report(store, since="1d", evaluators=limits, baseline={"until": "1d"}).warning is None


def test_scores_of_sessions_and_tools_count_with_the_runs_behind_them(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, session="s1", offers=agent_spans.SEARCH_TOOL)
        store.add_runs(2, 3, session="s2")
        (tool,) = (row[0] for row in store.rows("select distinct definition_hash from tool_definitions"))
        about: dict[str, Any] = {
            "agent_trace_id": None,
            "trace_id": None,
            "span_id": None,
            "evaluator_kind": "code",
            "value": 1.0,
        }
        rows: list[dict[str, Any]] = [
            {"target_id": "session:s1", "session_id": "s1", "scope": "session", "evaluator": "smooth"},
            {"target_id": "session:s2", "session_id": "s2", "scope": "session", "evaluator": "smooth"},
            {"target_id": f"tool:{tool}", "scope": "tool", "evaluator": "clear", "target_time": None},
            {"target_id": "tool:gone", "scope": "tool", "evaluator": "clear", "target_time": None},
        ]
        with store.results.transaction() as connection:
            insert_scores(connection, *(make_judge_score(**{**about, **row}) for row in rows))
            connection.execute("update agent_traces set service_name = 'shop' where session_id = 's1'")

        def count(**gate: Any) -> list[int]:
            both = {"smooth": {"min_mean": 0}, "clear": {"min_mean": 0}}
            return [check.n for check in report(store, evaluators=both, **gate).result.checks]

        assert count() == [2, 2]
        assert count(service="shop") == [1, 1]
        assert count(agent="travel") == [2, 1]
        assert count(traces=[1]) == [1, 1]
        assert count(traces=[2, 3]) == [1, 0]
        assert count(since="2000-01-01") == [2, 1]
        assert count(until="2000-01-01") == [0, 0]


def test_name_that_is_right_gets_no_other_one_suggested(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_score(store, 1, 1.0, evaluator="tool_errors")
        add_score(store, 2, 1.0, evaluator="polite", agent_name="other")
        names = ("polite", "tool_error", "tool_erors")
        checks = report(store, agent="travel", evaluators={name: {"min_mean": 1} for name in names}).result.checks
        assert [check.message for check in checks[:2]] == [
            "no scores of polite in this selection",
            "no scores of tool_error in this selection",
        ]
        assert "did you mean 'tool_errors'" in checks[2].message


def test_runs_of_an_experiment_that_failed_did_not_pass(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiments = Experiments(store.results)
        for name, runs in {
            "some": [make_recorded_run(0, 1.0), make_recorded_run(1, 1.0), make_recorded_run(2, cause="it hung")],
            "all": [make_recorded_run(0, cause="it hung"), make_recorded_run(1, cause="it hung")],
        }.items():
            begun = experiments.begin(make_start(name))
            experiments.record(ExperimentRuns(experiment_id=begun.experiment_id, runs=tuple(runs)))
        limits = {"own": {"min_pass_rate": 0.9, "min_mean": 0.9}}
        mean, rate = report(store, experiment="some", evaluators=limits).result.checks
        assert (mean.status, mean.message) == ("passed", "mean 1 of 2; 1 failed run")
        assert (rate.status, rate.message) == ("failed", "pass rate 66.67% of 3; 1 failed run: at least 90%")
        mean, rate = report(store, experiment="all", evaluators=limits).result.checks
        assert (mean.status, rate.status, rate.n) == ("no_data", "failed", 2)


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
