"""Which runs the store takes as part of an experiment, and what follows when a run turns out to be part of one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.feedback import make_record
from tests.support.store import Clock, Store, opened
from tests.support.stored_experiments import EXPERIMENT, add_experiment_runs, insert_experiment, mark

from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.collector.store.results.rebuilds import Portion
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.queries.ports import Annotation

CHECK = make_evaluator("check")
WHOLE = make_evaluator("whole", scope="session")
DESCRIBED = configure("tool_description_reliability")


def marks(store: Store) -> list[tuple[Any, ...]]:
    return store.rows("select agent_trace_id, experiment_id, revision from agent_traces order by all")


def test_run_of_a_stored_experiment_keeps_its_mark(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        store.add_runs(2)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1), (otlp.run_id(2), None, 1)]


def test_sub_agent_in_another_service_keeps_the_mark_of_its_caller(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.arrive(agent_spans.trip(), resource=mark())
        store.arrive([agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1)])
        store.revise(1)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1), (otlp.run_id(1, 11), EXPERIMENT, 1)]


def test_run_with_the_id_of_an_unknown_experiment_is_production_and_evaluated(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store, "another")
        store.ledger.enrol([CHECK])
        add_experiment_runs(store, 1)
        store.evaluate(CHECK)
        assert marks(store) == [(otlp.run_id(1), None, 1)]
        assert store.active_scores() == [(otlp.run_id(1), "check", 1.0)]


def test_rebuild_keeps_the_mark(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        before = store.rows("from agent_traces")
        rebuild(store, 1)
        assert store.rows("from agent_traces") == before


def test_run_that_came_before_its_experiment_is_marked_later_under_the_same_revision(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_experiment_runs(store, 1)
        insert_experiment(store)
        store.revise(1)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1)]


def test_run_that_joins_an_experiment_loses_its_scores_of_production_and_leaves_its_session(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([CHECK, WHOLE])
        add_experiment_runs(store, 1, session="s")
        store.add_runs(2, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(CHECK, WHOLE)
        insert_experiment(store)
        store.revise(1)
        assert store.active_scores() == [(otlp.run_id(2), "check", 1.0), ("session:s", "whole", 1.0)]
        assert store.rows("select target_id, superseded_reason from scores where superseded_at is not null") == [
            (otlp.run_id(1), "experiment")
        ]
        assert store.rows("select target_id, kind from deferrals") == [("session:s", "session_changed")]


def test_score_of_a_person_stays_when_the_run_joins_an_experiment(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_experiment_runs(store, 1)
        annotate(store)
        insert_experiment(store)
        store.revise(1)
        assert store.rows("select evaluator, author from annotations") == [("polite", "ada")]


def test_deferred_run_that_joins_an_experiment_is_deferred_no_longer(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([CHECK])
        add_experiment_runs(store, 1)
        store.defer(CHECK, until=clock.now + timedelta(hours=1), reason="the budget is spent")
        insert_experiment(store)
        store.revise(1)
        assert store.rows("from deferrals") == []


def test_people_and_other_systems_score_runs_of_experiments(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        annotate(store)
        store.arrive(logs=otlp.logs_request([make_record(1)]))
        store.revise(1)
        assert store.active_scores("evaluator_kind, agent_trace_id") == [
            ("external", otlp.run_id(1)),
            ("human", otlp.run_id(1)),
        ]


def test_tool_that_only_experiments_offer_is_not_evaluated(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.ledger.enrol([DESCRIBED])
        add_experiment_runs(store, 1, offers=agent_spans.SEARCH_TOOL)
        store.evaluate(DESCRIBED)
        assert store.rows("from offered_tools") == []
        assert store.active_scores() == []
        store.add_runs(2, offers=agent_spans.SEARCH_TOOL)
        store.evaluate(DESCRIBED)
        assert len(store.active_scores()) == 1


def test_tool_of_a_run_that_joins_an_experiment_is_offered_no_longer(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        add_experiment_runs(store, 1, offers=agent_spans.SEARCH_TOOL)
        store.evaluate(DESCRIBED)
        insert_experiment(store)
        store.revise(1)
        assert store.rows("from offered_tools") == []
        assert store.active_scores() == []


def annotate(store: Store) -> None:
    """Ada's score on the run of the first trace."""
    target = {"agent_trace_id": otlp.run_id(1)}
    annotation = Annotation.model_validate({"target": target, "name": "polite", "author": "ada", "value": 1.0})
    Annotations(store.results, has_outbox=False, now=store.now).write([annotation])


def rebuild(store: Store, *traces: int) -> None:
    """Assembles these traces again, as a portion of a rebuild."""
    trace_ids = [otlp.trace_id(trace) for trace in traces]
    store.results.rebuild(store.assembled(trace_ids), trace_ids, Portion(settled=trace_ids))
