"""The pass looks at no run of an experiment, and scores of experiments and of production leave each other alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened
from tests.support.stored_experiments import (
    EXPERIMENT,
    add_experiment_runs,
    insert_experiment,
    mark,
    score_in_experiment,
)

from tracegrade.collector.store.ledger.conditions import Conditions
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import score_of_experiment, score_record
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.ports import EvaluationPass

CHECK = make_evaluator("check", lambda _: 0.25)
BY_CALL = make_evaluator("by_call", lambda trace: [0.25 for _ in trace.tool_calls], scope="tool_call")
WHOLE = make_evaluator("whole", lambda turns: len(turns) / 10, scope="session")
BY_SQL = make_evaluator("by_sql", None, kind="sql", sql="select agent_trace_id, 1.0 as value from due")


def stored_scores(store: Store) -> list[tuple[Any, ...]]:
    return store.rows("select evaluator, experiment_id, value, superseded_at is null from scores order by all")


@pytest.mark.parametrize("evaluator", [CHECK, BY_CALL, BY_SQL], ids=["run", "call", "sql"])
def test_pass_evaluates_runs_of_production_alone(tmp_path: Path, evaluator: Configured) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.ledger.enrol([evaluator])
        add_experiment_runs(store, 1)
        store.add_runs(2)
        add_experiment_runs(store, 3)
        while store.evaluate(evaluator, limit=1).is_full:
            pass
        assert store.active_scores("distinct agent_trace_id") == [(otlp.run_id(2),)]


def test_evaluator_after_another_does_not_wait_for_runs_of_experiments(tmp_path: Path) -> None:
    second = make_evaluator("second", after=("check",), when="scores['check'] < 1")
    with opened(tmp_path, evaluators=[CHECK, second]) as store:
        insert_experiment(store)
        store.ledger.enrol([CHECK, second])
        add_experiment_runs(store, 1)
        store.add_runs(2)
        add_experiment_runs(store, 3)
        store.evaluate(CHECK, second)
        store.evaluate(CHECK, second)
        assert store.active_scores("target_id, evaluator") == [
            (otlp.run_id(2), "check"),
            (otlp.run_id(2), "second"),
        ]


def test_condition_on_scores_does_not_see_those_of_experiments(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.add_runs(1)
        score_in_experiment(store, CHECK, value=0.0)
        decisions = Conditions(store.database).decide("scores['check'] < 1", [otlp.run_id(1)], after=["check"])
        assert decisions.met == set()


def test_session_consists_of_runs_of_production(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        insert_experiment(store)
        store.ledger.enrol([WHOLE])
        add_experiment_runs(store, 1, session="s")
        add_experiment_runs(store, 2, session="of experiments alone")
        store.add_runs(3, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(WHOLE)
        assert store.active_scores("target_id, evaluator, value, reason") == [("session:s", "whole", 0.1, None)]
        assert store.rows("select session_id, turns from sessions") == [("s", 1)]


def test_run_of_an_experiment_does_not_make_a_session_due_again(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        insert_experiment(store)
        store.ledger.enrol([WHOLE])
        store.add_runs(1, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(WHOLE)
        add_experiment_runs(store, 2, session="s")
        clock.pass_by(minutes=6)
        assert store.evaluate(WHOLE).targets == 0


def test_backfill_requests_runs_of_production_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.add_runs(1, session="s")
        add_experiment_runs(store, 2, session="t")
        store.ledger.enrol([CHECK, WHOLE])
        began = store.one("select min(started_at) from agent_traces")
        assert store.ledger.backfill(CHECK, since=began) == 1
        assert store.ledger.backfill(WHOLE, since=began) == 1
        assert store.ledger.backfill(CHECK, since=began, agent_trace_ids=[otlp.run_id(2)]) == 0
        assert Conditions(store.database).all_met("true") == {otlp.run_id(1)}


def test_score_of_an_experiment_is_no_reason_to_leave_a_run_out_of_a_backfill(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.add_runs(1)
        store.ledger.enrol([CHECK])
        score_in_experiment(store, CHECK)
        assert store.ledger.backfill(CHECK, since=store.one("select min(started_at) from agent_traces")) == 1


def test_score_of_production_supersedes_none_of_an_experiment_on_the_same_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.ledger.enrol([CHECK])
        store.add_runs(1)
        score_in_experiment(store, CHECK, value=1.0)
        store.evaluate(CHECK)
        assert stored_scores(store) == [("check", EXPERIMENT, 1.0, True), ("check", None, 0.25, True)]
        assert store.active_scores() == [(otlp.run_id(1), "check", 0.25)]


def test_new_revision_supersedes_the_score_of_production_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.ledger.enrol([CHECK, BY_CALL])
        store.add_runs(1)
        store.evaluate(CHECK, BY_CALL)
        score_in_experiment(store, CHECK)
        store.arrive([agent_spans.tool(9, parent=1, at_s=7, args={}, result="late")])
        store.revise(1)
        store.evaluate(CHECK, BY_CALL)
        assert [row for row in stored_scores(store) if row[0] == "check"] == [
            ("check", EXPERIMENT, 1.0, True),
            ("check", None, 0.25, False),
            ("check", None, 0.25, True),
        ]


@pytest.mark.parametrize("has_outbox", [True, False], ids=["exported", "not exported"])
def test_score_of_an_experiment_supersedes_none_of_production_and_is_not_exported(
    tmp_path: Path, *, has_outbox: bool
) -> None:
    with opened(tmp_path, has_outbox=has_outbox) as store:
        insert_experiment(store)
        store.ledger.enrol([CHECK])
        store.add_runs(1)
        store.evaluate(CHECK)
        began = store.one("select started_at from agent_traces")
        run = AgentTrace(agent_trace_id=otlp.run_id(1), trace_id=otlp.trace_id(1), started_at=began)
        record = score_record(CHECK, run, Score(value=1.0), scored_at=store.now())
        experimental = score_of_experiment(record, EXPERIMENT)
        store.ledger.activate(EvaluationPass(id="of an experiment", started_at=store.now()), [experimental])
        assert stored_scores(store) == [("check", EXPERIMENT, 1.0, True), ("check", None, 0.25, True)]
        assert store.one("select count(*) from outbox") == has_outbox


def test_score_of_an_experiment_whose_run_is_not_assembled_yet_is_active(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        record = score_record(CHECK, AgentTrace(agent_trace_id="later"), Score(value=1.0), scored_at=store.now())
        experimental = score_of_experiment(record, EXPERIMENT)
        store.ledger.activate(EvaluationPass(id="of an experiment", started_at=store.now()), [experimental])
        assert stored_scores(store) == [("check", EXPERIMENT, 1.0, True)]


def test_score_of_an_experiment_stays_when_its_run_vanishes(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.arrive([agent_spans.chat(2, parent=1)], resource=mark())
        store.revise(1)
        score_in_experiment(store, CHECK)
        with store.results.transaction() as connection:
            connection.execute("update scores set agent_trace_id = $id", {"id": otlp.run_id(1, 2)})
        store.arrive([agent_spans.agent(1)], resource=mark())
        store.revise(1)
        assert store.rows("select agent_trace_id from agent_traces") == [(otlp.run_id(1),)]
        assert stored_scores(store) == [("check", EXPERIMENT, 1.0, True)]


def test_judge_waits_for_no_run_of_an_experiment_to_settle(tmp_path: Path) -> None:
    clock = Clock()
    judge = make_evaluator("judge", kind="llm")
    with opened(tmp_path, now=clock) as store:
        insert_experiment(store)
        store.ledger.enrol([judge])
        add_experiment_runs(store, 1)
        clock.pass_by(seconds=-10)
        store.add_runs(2)
        clock.pass_by(seconds=31)
        assert store.ledger.due(judge, 10).claim.selected == (otlp.run_id(2),)
