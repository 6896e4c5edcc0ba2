"""What reports and views say of production leaves experiments out; what names a run of an experiment shows it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score
from tests.support.store import Clock, Store, opened
from tests.support.stored_experiments import EXPERIMENT, add_experiment_runs, insert_experiment, score_in_experiment

from tracegrade.collector.cli.tail import read_new_runs
from tracegrade.collector.client.query import all_rows
from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.config.settings import Settings
from tracegrade.collector.experiments.gate_file import Gate
from tracegrade.collector.experiments.gate_report import make_report
from tracegrade.collector.reports.account import build_account
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.reports.backlog import read_standings
from tracegrade.collector.reports.lag import LagReader
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

CHECK = make_evaluator("check", lambda _: 0.25)
BY_CALL = make_evaluator("by_call", lambda trace: [1.0 for _ in trace.tool_calls], scope="tool_call")
WHOLE = make_evaluator("whole", scope="session")
DESCRIBED = configure("tool_description_reliability")
EVERY = (CHECK, BY_CALL, WHOLE, DESCRIBED)


def source(store: Store) -> LocalSource:
    return LocalSource(store.database, max_rows=1_000, timeout_s=30)


def add_runs_of_both(store: Store, evaluators: tuple[Configured, ...] = EVERY) -> None:
    """A run of an experiment, one of production, and another of the experiment, each with a session and a tool."""
    insert_experiment(store)
    store.ledger.enrol(evaluators)
    add_experiment_runs(store, 1, session="of the experiment", offers=agent_spans.SEARCH_TOOL)
    store.add_runs(2, session="s", offers=agent_spans.SEARCH_TOOL)
    other = agent_spans.SEARCH_TOOL.replace("search", "book")
    add_experiment_runs(store, 3, session="of the experiment", offers=other)


def test_backlog_and_lag_count_what_production_waits_for(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        add_runs_of_both(store)
        read = source(store).read
        assert {standing.evaluator.name: standing.new for standing in read_standings(read, EVERY)} == {
            "check": 1,
            "by_call": 1,
            "whole": 1,
            "tool_description_reliability": 1,
        }
        assert [lag.new for lag in LagReader(read).measure(EVERY).evaluators] == [1, 1, 1, 1]
        clock.pass_by(minutes=6)
        store.evaluate(*EVERY)
        assert [standing.new for standing in read_standings(read, EVERY)] == [0, 0, 0, 0]
        assert [lag.new for lag in LagReader(read).measure(EVERY).evaluators] == [0, 0, 0, 0]


def test_import_waits_for_no_run_of_an_experiment(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_of_both(store)
        traces = [otlp.trace_id(1), otlp.trace_id(3)]
        names: dict[str, Any] = {"evaluators": ["check", "whole"], "tool_evaluators": []}
        assert all_rows(source(store).read, report("pending"), trace_ids=traces, **names) == [
            {"traces": 0, "runs": 0, "tools": 0}
        ]
        forms = {
            "evaluators": [CHECK.name, WHOLE.name],
            "evaluator_versions": [CHECK.version, WHOLE.version],
            "config_hashes": [CHECK.config_hash, WHOLE.config_hash],
        }
        assert all_rows(source(store).read, report("waiting_of_traces"), trace_ids=traces, **forms) == []


def test_audit_misses_no_score_on_a_run_of_an_experiment_and_takes_none_of_its_scores_for_a_fault(
    tmp_path: Path,
) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        add_runs_of_both(store)
        clock.pass_by(minutes=6)
        store.evaluate(*EVERY)
        for trace in (1, 2, 3):
            score_in_experiment(store, CHECK, trace=trace)
        assert audit(source(store).read, EVERY).findings == ()


def test_audit_does_not_take_the_score_of_an_experiment_for_one_of_production(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.ledger.enrol([CHECK])
        store.add_runs(1)
        store.evaluate(CHECK)
        with store.results.transaction() as connection:
            connection.execute("delete from scores")
        score_in_experiment(store, CHECK)
        missing, outdated = audit(source(store).read, [CHECK]).findings
        assert (missing.fault, missing.target_ids) == ("missing", (otlp.run_id(1),))
        assert (outdated.fault, outdated.target_ids) == ("outdated_outcomes", (otlp.run_id(1),))


def test_tail_shows_runs_of_production(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_of_both(store, (CHECK,))
        store.evaluate(CHECK)
        score_in_experiment(store, CHECK, trace=1)
        assert [run["trace_id"] for run in read_new_runs(source(store), 0)] == [otlp.trace_id(2)]
        assert all_rows(source(store).read, report("newest_run"), count=1) == [{"after_seq": 1}]


def test_views_show_scores_and_sessions_of_production(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_of_both(store, (CHECK,))
        store.evaluate(CHECK)
        for trace in (1, 2, 3):
            score_in_experiment(store, CHECK, trace=trace)
        assert store.active_scores() == [(otlp.run_id(2), "check", 0.25)]
        assert store.rows("select trace_id, origin from span_events") == [(otlp.trace_id(2), "evaluation")]
        assert store.rows("select session_id, turns from sessions") == [("s", 1)]
        assert all_rows(source(store).read, report("tools_by_name"))[0]["calls"] == 1
        assert [row["runs"] for row in all_rows(source(store).read, report("offered_tools"))] == [1]


def test_gate_over_production_counts_no_score_of_an_experiment(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_of_both(store, (CHECK,))
        store.evaluate(CHECK)
        for trace in (1, 2):
            score_in_experiment(store, CHECK, trace=trace, value=1.0)
        gate = Gate.model_validate({"evaluators": {"check": {"min_mean": 0.5}}})
        made = make_report(source(store).read, gate, now=store.now())
        (check,) = made.result.checks
        assert (check.n, check.value) == (1, 0.25)
        assert [score.target_id for score in made.lowest["check"]] == [otlp.run_id(2)]


def test_figures_of_an_experiment_are_those_of_its_own_scores(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_runs_of_both(store, (CHECK,))
        store.evaluate(CHECK)
        for trace in (1, 2):
            score_in_experiment(store, CHECK, trace=trace, value=1.0)
        selection = dict.fromkeys(
            ("since", "until", "agent", "service", "agent_version", "environment", "trace_ids"), None
        )
        (figures,) = all_rows(source(store).read, report("score_figures"), experiment_id=EXPERIMENT, **selection)
        assert (figures["valued"], figures["mean"]) == (2, 1.0)


def test_people_are_compared_with_the_judge_of_production(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        with store.results.transaction() as connection:
            insert_scores(
                connection,
                make_judge_score(value=1.0, passed=True),
                make_judge_score(value=0.0, passed=False, experiment_id=EXPERIMENT),
                make_person_score(value=1.0, passed=True),
            )
        assert store.rows("select judge_value, human_value from calibration_pairs") == [(1.0, 1.0)]


def explained(store: Store, *evaluators: Configured, trace: int = 1) -> dict[str, Any]:
    (run,) = build_account(source(store).read, Settings(), evaluators, otlp.trace_id(trace))["runs"]
    return run


@pytest.mark.parametrize("evaluator", EVERY, ids=[evaluator.scope for evaluator in EVERY])
def test_explanation_says_that_passes_leave_out_the_run_of_an_experiment(tmp_path: Path, evaluator: Configured) -> None:
    with opened(tmp_path) as store:
        add_runs_of_both(store, (evaluator,))
        run = explained(store, evaluator, trace=3)
        (explanation,) = run["evaluators"]
        assert run["experiment_id"] == EXPERIMENT
        assert (explanation["state"], explanation["because"]) == (
            "excluded",
            "part of experiment 5f0c: passes leave it out, the experiment evaluates it itself",
        )


def test_explanation_of_a_run_shows_the_scores_of_the_experiment_that_it_is_part_of(tmp_path: Path) -> None:
    own = make_evaluator("own")
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        score_in_experiment(store, CHECK, value=0.5)
        score_in_experiment(store, own, value=1.0)
        run = explained(store, CHECK)
        assert [(each["state"], each["value"]) for each in run["evaluators"]] == [("scored", 0.5)]
        assert [(each["evaluator"], each["because"]) for each in run["others"]] == [("own", "in experiment 5f0c")]


def test_explanation_of_a_run_of_production_shows_no_scores_of_experiments_over_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.ledger.enrol([CHECK])
        store.add_runs(1)
        score_in_experiment(store, CHECK)
        run = explained(store, CHECK)
        assert [each["state"] for each in run["evaluators"]] == ["queued"]
        assert run["others"] == []


def test_scores_that_are_shown_are_those_of_the_experiment_and_of_people(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        score_in_experiment(store, CHECK, value=0.5)
        score_in_experiment(store, CHECK, value=0.0, experiment_id="over the same run")
        with store.results.transaction() as connection:
            insert_scores(connection, make_person_score(otlp.run_id(1), agent_trace_id=otlp.run_id(1), value=1.0))
        rows = all_rows(source(store).read, report("scores_of_run"), agent_trace_id=otlp.run_id(1))
        assert [(row["evaluator"], row["value"]) for row in rows] == [("check", 0.5), ("polite (ada)", 1.0)]


def test_oldest_deferred_target_is_one_of_production(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([CHECK])
        store.add_runs(1, 2)
        store.defer(CHECK, until=clock.now + timedelta(hours=1), reason="the budget is spent")
        with store.results.transaction() as connection:
            connection.execute(
                "update agent_traces set experiment_id = 'x' where trace_id = $id", {"id": otlp.trace_id(1)}
            )
            connection.execute(
                "update agent_traces set ended_at = assembled_at - interval 1 day where trace_id = $id",
                {"id": otlp.trace_id(1)},
            )
        (row,) = all_rows(source(store).read, report("oldest_deferred"), backfill=2)
        assert row["oldest_at"] == store.one(
            "select least(ended_at, assembled_at) from agent_traces where experiment_id is null"
        )
