"""Marks of experiments on spans of others: no run of production is taken out of evaluation, or loses its scores."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened
from tests.support.stored_experiments import EXPERIMENT, insert_experiment, mark

CHECK = make_evaluator("check")
SHOP = {"service.name": "shop"}
VICTIM = otlp.run_id(1, 11)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([CHECK])
        yield store


def add_production_run(store: Store) -> None:
    """A run of the shop, whose caller is not instrumented."""
    store.arrive(agent_spans.trip(first=11, parent=1), resource=SHOP)
    store.revise(1)


def add_caller(store: Store, service: str) -> None:
    """The caller of that run with the mark of the experiment, as sent by anybody."""
    caller = agent_spans.agent(1, name="attacker", for_s=30)
    store.arrive([caller], resource={**mark(), "service.name": service})
    store.revise(1)


def is_production(store: Store) -> bool:
    return store.rows("select experiment_id from agent_traces where agent_trace_id = $id", id=VICTIM) == [(None,)]


def has_conflict(store: Store) -> bool:
    return "experiment_conflict" in store.one("select gaps from agent_traces where agent_trace_id = $id", id=VICTIM)


@pytest.mark.parametrize("service", ["attacker", "shop"])
def test_marked_caller_takes_no_scores_away(store: Store, service: str) -> None:
    insert_experiment(store)
    add_production_run(store)
    store.evaluate(CHECK)
    add_caller(store, service)
    store.evaluate(CHECK)
    assert is_production(store)
    assert has_conflict(store) is (service == "shop")
    assert (VICTIM, "check", 1.0) in store.active_scores()


def test_caller_of_another_service_hides_no_new_run(store: Store) -> None:
    insert_experiment(store)
    add_caller(store, "attacker")
    add_production_run(store)
    store.evaluate(CHECK)
    assert is_production(store)
    assert store.active_scores() == [(VICTIM, "check", 1.0)]


def test_run_from_before_the_experiment_stays_in_production(store: Store, clock: Clock) -> None:
    add_production_run(store)
    clock.pass_by(minutes=1)
    insert_experiment(store)
    add_caller(store, "shop")
    assert is_production(store)
    assert has_conflict(store)


@pytest.mark.parametrize(("later", "is_hidden"), [(timedelta(minutes=5), True), (timedelta(minutes=15), False)])
def test_ended_experiment_takes_only_what_exporters_still_send(
    store: Store, clock: Clock, later: timedelta, *, is_hidden: bool
) -> None:
    insert_experiment(store)
    with store.results.transaction() as connection:
        connection.execute("update experiments set ended_at = $now", {"now": clock.now})
    clock.now += later
    store.arrive(agent_spans.trip(first=11), resource={**mark(), **SHOP})
    store.revise(1)
    store.evaluate(CHECK)
    assert is_production(store) is not is_hidden
    assert has_conflict(store) is not is_hidden


def test_run_of_its_own_experiment_is_marked(store: Store) -> None:
    insert_experiment(store)
    store.arrive(agent_spans.trip(first=11), resource={**mark(), **SHOP})
    store.revise(1)
    assert store.rows("select experiment_id from agent_traces") == [(EXPERIMENT,)]
