"""Which runs the store takes as part of an experiment, and what follows when a run turns out to be part of one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
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
SERVICE = {"service.name": mark()["service.name"]}
SUB_AGENT = otlp.run_id(1, 11)


def marks(store: Store) -> list[tuple[Any, ...]]:
    return store.rows("select agent_trace_id, experiment_id, revision from agent_traces order by all")


def test_run_of_a_stored_experiment_keeps_its_mark(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        store.add_runs(2)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1), (otlp.run_id(2), None, 1)]


def test_sub_agent_in_the_same_service_gets_the_mark_of_its_caller(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        insert_experiment(store)
        store.arrive(agent_spans.trip(), resource=mark())
        store.arrive([agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1)], resource=SERVICE)
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


@pytest.mark.parametrize(
    ("ended_before", "is_member"),
    [(timedelta(minutes=9), True), (timedelta(minutes=11), False)],
    ids=["repeated by its exporter", "long after the end"],
)
def test_run_that_arrives_after_the_end(tmp_path: Path, *, ended_before: timedelta, is_member: bool) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        insert_experiment(store)
        end_experiment(store)
        clock.now += ended_before
        add_experiment_runs(store, 1)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT if is_member else None, 1)]
        assert ("experiment_conflict" in gaps(store)) is not is_member


def test_rebuild_long_after_the_end_keeps_the_mark(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        insert_experiment(store)
        add_experiment_runs(store, 1)
        end_experiment(store)
        clock.pass_by(days=1)
        rebuild(store, 1)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1)]


def test_run_whose_caller_came_later_joins_and_leaves_its_session(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        add_unmarked_sub_agent(store, session="s")
        store.add_runs(2, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(WHOLE)
        add_caller(store)
        assert store.active_scores() == [("session:s", "whole", 1.0)]
        assert store.rows("select target_id, kind from deferrals") == [("session:s", "session_changed")]


def test_deferred_run_that_joins_an_experiment_is_deferred_no_longer(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([CHECK])
        add_unmarked_sub_agent(store)
        store.defer(CHECK, until=clock.now + timedelta(hours=1), reason="the budget is spent")
        add_caller(store)
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
        add_unmarked_sub_agent(store, offers=agent_spans.SEARCH_TOOL)
        store.evaluate(DESCRIBED)
        add_caller(store)
        assert store.rows("from offered_tools") == []
        assert store.active_scores() == []


def test_scored_run_whose_caller_comes_later_stays_in_production(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([CHECK])
        add_unmarked_sub_agent(store)
        annotate(store, SUB_AGENT)
        store.evaluate(CHECK)
        add_caller(store)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1), (SUB_AGENT, None, 2)]
        assert "experiment_conflict" in gaps(store, SUB_AGENT)
        assert store.rows("select evaluator from scores where superseded_at is null order by all") == [
            ("check",),
            ("polite",),
        ]


def test_score_of_a_person_does_not_keep_a_run_out(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_unmarked_sub_agent(store)
        annotate(store, SUB_AGENT)
        add_caller(store)
        assert marks(store) == [(otlp.run_id(1), EXPERIMENT, 1), (SUB_AGENT, EXPERIMENT, 2)]
        assert store.rows("select evaluator, author from annotations") == [("polite", "ada")]


def add_unmarked_sub_agent(store: Store, **trip: Any) -> None:
    """Begins the experiment; commits and assembles a run of its service, whose caller has not arrived."""
    insert_experiment(store)
    store.arrive(agent_spans.trip(name="hotels", first=11, parent=3, **trip), resource=SERVICE)
    store.revise(1)


def add_caller(store: Store) -> None:
    """Commits the caller of the sub-agent, in the experiment; assembles both."""
    add_experiment_runs(store, 1)


def gaps(store: Store, agent_trace_id: str = otlp.run_id(1)) -> str:
    """The gaps of a run, as JSON."""
    return str(store.one("select gaps from agent_traces where agent_trace_id = $id", id=agent_trace_id))


def end_experiment(store: Store) -> None:
    """Ends the experiment at this moment."""
    with store.results.transaction() as connection:
        connection.execute("update experiments set ended_at = $now", {"now": store.now()})


def annotate(store: Store, agent_trace_id: str = otlp.run_id(1)) -> None:
    """Ada's score on a run."""
    target = {"agent_trace_id": agent_trace_id}
    annotation = Annotation.model_validate({"target": target, "name": "polite", "author": "ada", "value": 1.0})
    Annotations(store.results, has_outbox=False, now=store.now).write([annotation])


def rebuild(store: Store, *traces: int) -> None:
    """Assembles these traces again, as a portion of a rebuild."""
    trace_ids = [otlp.trace_id(trace) for trace in traces]
    store.results.rebuild(store.assembled(trace_ids), trace_ids, Portion(settled=trace_ids))
