"""How far assembly and evaluators are behind, from the end of what waits, on a clock that is moved."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.otlp import run_id, trace_id
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.reports.lag import EvaluatorLag, Lag, LagReader
from tracegrade.collector.store.ledger import deferred
from tracegrade.collector.store.ledger.deferred import Deferral
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.ports import DeferralKind
from tracegrade.queries.catalog import report
from tracegrade.queries.result import Result

ERRORS, NAMES = configure("tool_error"), configure("tool_name_reliability")
WHOLE = replace(ERRORS, name="whole", scope="session")
SECOND = timedelta(seconds=1)


class Counting:
    """Reads a store, and remembers what it was asked."""

    def __init__(self, store: Store) -> None:
        self._source = LocalSource(store.database)
        self.asked: list[str] = []

    def __call__(self, sql: str, **more: Any) -> Result:
        self.asked.append(sql)
        return self._source.read(sql, **more)


def measure(store: Store, *evaluators: Configured) -> Lag:
    return LagReader(LocalSource(store.database).read).measure(evaluators)


def measure_one(store: Store, evaluator: Configured) -> EvaluatorLag:
    (lag,) = measure(store, evaluator).evaluators
    return lag


def add_run(store: Store, trace: int, *, at_s: float = 0.0, session: str | None = None) -> datetime:
    """Commits and assembles a run, and returns when it ended."""
    attributes = {"gen_ai.conversation.id": session} if session else {}
    agent = agent_spans.agent(1, trace=trace, at_s=at_s)
    store.arrive(
        [replace(agent, attributes={**agent.attributes, **attributes}), agent_spans.tool(2, parent=1, trace=trace)]
    )
    store.revise(trace)
    ended: datetime = store.one("select ended_at from agent_traces where trace_id = $id", id=trace_id(trace))
    return ended


def defer(store: Store, evaluator: Configured, *targets: str, kind: DeferralKind) -> None:
    until = store.now() + 60 * SECOND
    with store.results.transaction() as connection:
        deferred.insert(connection, evaluator, dict.fromkeys(targets, Deferral(until, "a reason", kind)))


def test_assembly_lags_from_the_end_of_the_oldest_span_that_came_after_what_is_settled(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert measure(store).unassembled_at is None
        first = store.arrive([agent_spans.agent(1, trace=1)])
        store.arrive([agent_spans.agent(1, trace=2, at_s=300)])
        oldest, newer = (row[0] for row in store.rows("select end_time from spans order by batch_seq"))
        assert measure(store).unassembled_at == oldest
        store.results.settle(first.batch_seq)
        lag = measure(store)
        assert (lag.unassembled_at, lag.lag_s(newer + 7 * SECOND)) == (newer, 7.0)
        store.results.settle(first.batch_seq + 1)
        assert measure(store) == Lag(None, [])
        assert measure(store).lag_s(newer) == 0.0


@pytest.mark.parametrize("end_ns", [0, 2**62], ids=["no time", "a time to come"])
def test_span_without_a_sensible_end_counts_from_its_arrival(tmp_path: Path, end_ns: int) -> None:
    with opened(tmp_path) as store:
        store.arrive([replace(agent_spans.agent(1), end_ns=end_ns)])
        assert measure(store).unassembled_at == store.one("select ingested_at from spans")


def test_evaluator_lags_from_the_end_of_the_oldest_run_that_it_has_not_looked_at(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        later_end, earlier_end = add_run(store, 1, at_s=100), add_run(store, 2)
        behind = measure_one(store, ERRORS)
        assert (behind.new, behind.oldest_at) == (2, earlier_end)
        assert behind.lag_s(later_end) == 100.0
        store.evaluate(ERRORS)
        assert measure_one(store, ERRORS).lag_s(later_end) == 0.0
        third = add_run(store, 3, at_s=200)
        assert (measure_one(store, ERRORS).new, measure_one(store, ERRORS).oldest_at) == (1, third)


def test_evaluators_at_different_places_are_told_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        first = add_run(store, 1)
        store.ledger.enrol([WHOLE, NAMES])
        second = add_run(store, 2, at_s=50, session="s")
        add_run(store, 3, at_s=60, session="s")
        lags = {lag.evaluator: (lag.new, lag.oldest_at) for lag in measure(store, ERRORS, WHOLE, NAMES).evaluators}
        assert lags == {"tool_error": (3, first), "whole": (1, second), "tool_name_reliability": (0, None)}


def test_evaluator_that_was_never_enrolled_is_not_told(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_run(store, 1)
        assert measure(store, ERRORS).evaluators == []


def test_deferred_run_keeps_the_lag_at_its_end(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        end = add_run(store, 1)
        until = store.now() + 60 * SECOND
        store.defer(ERRORS, until=until, reason="judge 'a' is busy: x", kind="judge_busy")
        lag = measure_one(store, ERRORS)
        assert (lag.new, lag.deferred, lag.oldest_at) == (0, {"judge_busy": 1}, end)


def test_deferred_session_lags_from_its_end_and_one_that_goes_on_does_not(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_run(store, 1, session="s")
        end = add_run(store, 2, at_s=40, session="s")
        store.ledger.enrol([WHOLE])
        defer(store, WHOLE, "session:s", kind="session_active")
        assert measure_one(store, WHOLE).oldest_at is None
        defer(store, WHOLE, "session:s", kind="judge_unreachable")
        assert measure_one(store, WHOLE).oldest_at == end


def test_tools_have_no_lag(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([NAMES])
        assert measure_one(store, NAMES).lag_s(Clock().now) == 0.0
        defer(store, NAMES, "tool:a", kind="judge_busy")
        assert measure_one(store, NAMES).lag_s(Clock().now) is None


def test_what_a_backfill_asks_for_is_not_deferred(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_run(store, 1)
        store.ledger.enrol([ERRORS])
        assert store.ledger.backfill(ERRORS, since=store.one("select min(started_at) from agent_traces")) == 1
        lag = measure_one(store, ERRORS)
        assert (lag.deferred, lag.oldest_at) == ({}, None)


def test_deferred_targets_are_counted_by_kind(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        defer(store, ERRORS, "a", "b", kind="budget")
        defer(store, ERRORS, "c", kind="judge_busy")
        assert measure_one(store, ERRORS).deferred == {"budget": 2, "judge_busy": 1}


def test_runs_are_searched_for_what_is_deferred_once_in_a_while(tmp_path: Path) -> None:
    seconds = iter([0.0, 0.0, 0.5, 100.0, 500.4, 500.6, 500.8])  # the search that begins at 0 takes half a second
    with opened(tmp_path) as store:
        read = Counting(store)
        reader = LagReader(read, clock=lambda: next(seconds))
        store.ledger.enrol([ERRORS])
        add_run(store, 1)
        searches: list[int] = []
        for deferred in (False, True, True, True, True):
            if deferred and not searches[-1]:
                defer(store, ERRORS, run_id(1), kind="judge_busy")
            (lag,) = reader.measure([ERRORS]).evaluators
            searches.append(len([sql for sql in read.asked if sql == report("oldest_deferred")]))
            assert lag.oldest_at is not None
        assert searches == [0, 1, 1, 1, 2]
