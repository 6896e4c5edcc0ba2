"""What readers see of each hour is what its runs, scores and calls are, whatever changes, and whenever it is stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.collector.store.results.test_outcomes import (
    ANSWERS,
    BY_CALL,
    FAILS,
    PASSES,
    annotate,
    arrive,
    evaluate,
    failed_call,
    failed_trip,
)
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.experiments import make_start
from tests.support.feedback import arrive_records, make_record
from tests.support.hours import count_again, find_wrong_hours
from tests.support.store import Clock, Store, opened

from tracegrade.collector.otlp.decode import decode_spans
from tracegrade.collector.store.experiments.experiments import Experiments
from tracegrade.collector.store.results import definitions
from tracegrade.collector.store.results.changed_hours import mark_all
from tracegrade.collector.store.results.hours import Hours
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.queries.catalog import objects

MIDNIGHT = datetime(2026, 1, 1)  # noqa: DTZ001 - as the store keeps it
HOUR_S = 3_600


def check(store: Store) -> None:
    """Compares while hours are marked, and after they are stored."""
    assert find_wrong_hours(store) == []
    count_again(store)
    assert find_wrong_hours(store) == []


def runs(store: Store, columns: str = "hour, runs, failing_runs") -> list[tuple[Any, ...]]:
    return store.rows(f"select {columns} from run_hours_between(null, null) order by all")


def scores(store: Store, columns: str = "evaluator, scored, failed") -> list[tuple[Any, ...]]:
    return store.rows(f"select {columns} from score_hours_between(null, null) order by all")


def test_runs_scores_and_calls_are_counted_in_the_hour_in_which_the_run_began(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, 2)
        evaluate(store, FAILS)
        check(store)
        assert runs(store, "hour, agent_name, runs, failing_runs, input_tokens") == [(MIDNIGHT, "travel", 2, 2, 400)]
        assert scores(store, "hour, evaluator, scored, failed, value_nano") == [(MIDNIGHT, "fails", 2, 2, 500_000_000)]
        assert store.rows("select tool, calls, errors, duration_ms from tool_hours_between(null, null)") == [
            ("search", 2, 0, 2_000)
        ]


def test_run_in_which_several_things_failed_counts_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([agent_spans.agent(1), *(failed_call(number, parent=1) for number in (2, 3))])
        store.add_runs(2)
        store.revise(1)
        evaluate(store, BY_CALL)
        check(store)
        assert scores(store, "evaluator, failed, failed_runs") == [("by_call", 3, 2)]
        columns = "calls, errors, failed_runs"
        assert store.rows(f"select {columns} from tool_hours_between(null, null) where errors > 0") == [(2, 2, 1)]


def test_what_is_not_recorded_is_not_counted_as_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive(store, agent_spans.agent(1))
        evaluate(store, make_evaluator("unsure", lambda _: None))
        check(store)
        assert runs(store, "input_tokens, cost_nanousd, priced_runs") == [(None, None, 0)]


def test_hour_of_a_new_run_is_counted_when_it_is_read_until_it_is_stored(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        count_again(store)
        store.add_runs(2)
        assert store.rows("select runs from run_hours") == [(1,)]
        assert runs(store) == [(MIDNIGHT, 2, 0)]
        check(store)
        assert store.rows("select runs from run_hours") == [(2,)]


def test_score_of_a_later_pass_changes_the_hour_of_its_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        evaluate(store, PASSES)
        count_again(store)
        evaluate(store, BY_CALL)
        check(store)
        assert scores(store) == [("by_call", 1, 1), ("passes", 1, 0)]
        assert runs(store) == [(MIDNIGHT, 1, 1)]


def test_superseded_score_is_no_longer_counted(tmp_path: Path) -> None:
    *early, answer = agent_spans.trip()
    with opened(tmp_path) as store:
        store.ledger.enrol([ANSWERS])
        arrive(store, *early)
        store.evaluate(ANSWERS)
        count_again(store)
        arrive(store, answer)
        check(store)
        store.evaluate(ANSWERS)
        check(store)
        assert scores(store) == [("answers", 1, 0)]
        assert runs(store) == [(MIDNIGHT, 1, 0)]


def test_run_that_gives_way_to_one_of_the_hour_before_leaves_its_hour_empty(tmp_path: Path) -> None:
    model = agent_spans.chat(2, parent=1, at_s=HOUR_S)
    agent = agent_spans.agent(1, at_s=HOUR_S - 10, for_s=60)
    with opened(tmp_path) as store:
        store.ledger.enrol([FAILS])
        arrive(store, model)
        store.evaluate(FAILS)
        check(store)
        assert [row[0].hour for row in runs(store)] == [1]
        arrive(store, agent)
        check(store)
        assert [row[0].hour for row in runs(store)] == [0]
        store.evaluate(FAILS)
        check(store)
        assert scores(store, "hour, scored") == [(MIDNIGHT, 1)]


def test_run_whose_start_moves_over_the_hour_moves_its_counts(tmp_path: Path) -> None:
    moved = "started_at = started_at + interval 1 hour, latest_at = latest_at + interval 1 hour"
    with opened(tmp_path) as store:
        store.ledger.enrol([FAILS])
        store.add_runs()
        store.evaluate(FAILS)
        with store.results.transaction() as connection:
            connection.execute(f"update agent_traces set fingerprint = 'of another version', {moved}")
            connection.execute("update scores set target_time = target_time + interval 1 hour")
            mark_all(connection)
        check(store)
        assert runs(store) == [(MIDNIGHT + timedelta(hours=1), 1, 1)]
        store.revise(1)
        check(store)
        assert runs(store) == [(MIDNIGHT, 1, 1)]
        assert scores(store, "hour, failed") == [(MIDNIGHT, 1)]


def test_scores_and_calls_of_sub_agents_are_counted_for_the_outermost_run(tmp_path: Path) -> None:
    inner = agent_spans.agent(11, name="hotels", parent=3, at_s=HOUR_S + 3, for_s=1)
    with opened(tmp_path) as store:
        arrive(store, *agent_spans.trip())
        count_again(store)
        arrive(store, inner, failed_call(12, parent=11, at_s=HOUR_S + 3.2, for_s=0.1))
        check(store)
        evaluate(store, FAILS, configure("tool_call_validity"))
        check(store)
        assert scores(store, "hour, agent_name, evaluator, scored") == [
            (MIDNIGHT, "travel", "fails", 2),
            (MIDNIGHT, "travel", "tool_call_validity", 0),
        ]
        counted = "select hour, agent_name, tool, calls, errors, first_faults from tool_hours_between(null, null)"
        assert store.rows(f"{counted} where tool = 'book'") == [(MIDNIGHT, "travel", "book", 1, 1, 1)]


def test_outermost_run_that_becomes_a_sub_agent_is_no_longer_counted(tmp_path: Path) -> None:
    inner = agent_spans.trip(first=11, name="clerk", parent=1)
    with opened(tmp_path) as store:
        store.ledger.enrol([FAILS])
        arrive(store, *inner)
        store.evaluate(FAILS)
        count_again(store)
        arrive(store, *agent_spans.trip())
        check(store)
        assert runs(store, "agent_name, runs") == [("travel", 1)]


def test_annotations_count_and_external_scores_do_not(tmp_path: Path) -> None:
    with opened(tmp_path, now=(clock := Clock())) as store:
        arrive_records(store, make_record(1, value=0.0, label="fail"))
        store.add_runs()
        count_again(store)
        annotate(store, passed=False)
        check(store)
        assert scores(store, "evaluator_kind, scored, failed") == [("human", 1, 1)]
        clock.pass_by(seconds=1)
        annotate(store, passed=True)
        check(store)
        assert scores(store, "evaluator_kind, scored, failed") == [("human", 1, 0)]


def test_score_of_a_person_that_moves_to_another_run_moves_its_counts(tmp_path: Path) -> None:
    inner = agent_spans.agent(11, name="hotels", parent=1, at_s=HOUR_S, for_s=1)
    with opened(tmp_path, annotators=["grader"]) as store:
        arrive_records(store, make_record(11, value=0.0, label="fail"))
        arrive(store, *agent_spans.trip())
        check(store)
        arrive(store, inner)
        check(store)
        store.results.believe([])
        check(store)
        store.results.believe(["grader"])
        check(store)


def test_run_that_turns_out_to_be_of_an_experiment_is_no_longer_counted(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        experiment_id = Experiments(store.results).begin(make_start()).experiment_id
        first, *others = failed_trip()
        arrive(store, *others)
        count_again(store)
        resource = {"service.name": "tests", "tracegrade.experiment.id": experiment_id}
        body = otlp.traces_request([otlp.from_plain(first)], resource=resource)
        store.arrivals.write(decode_spans(body).rows, [])
        store.revise(1)
        check(store)
        assert runs(store) == []


def test_score_of_an_evaluator_that_no_longer_selects_the_run_is_no_longer_counted(tmp_path: Path) -> None:
    long = make_evaluator("long", lambda _: 1.0, when="tool_call_count < 2")
    with opened(tmp_path) as store:
        store.ledger.enrol([long])
        arrive(store, *agent_spans.trip())
        store.evaluate(long)
        count_again(store)
        arrive(store, failed_call())
        store.evaluate(long)
        check(store)
        assert scores(store) == []


def test_hour_that_goes_on_is_not_stored(tmp_path: Path) -> None:
    clock = Clock()
    clock.now = MIDNIGHT
    with opened(tmp_path, now=clock) as store:
        store.add_runs()
        hours = Hours(store.database, store.results, now=clock)
        clock.pass_by(minutes=64)
        assert not hours.renew()
        clock.pass_by(minutes=1)
        assert hours.renew()
        assert store.rows("select hour, runs from run_hours") == [(MIDNIGHT, 1)]
        assert not hours.renew()


def test_hour_that_keeps_changing_holds_up_no_other(tmp_path: Path) -> None:
    later = Clock()
    later.pass_by(days=10)
    with opened(tmp_path) as store:
        store.add_runs()
        store.arrive([agent_spans.agent(1, trace=2, at_s=3 * 24 * HOUR_S, for_s=1)])
        store.revise(2)
        hours = Hours(store.database, store.results, now=later)
        assert hours.renew()
        with store.results.transaction() as connection:
            mark_all(connection)
        assert hours.renew()
        stored = [(MIDNIGHT,), (MIDNIGHT + timedelta(days=3),)]
        assert store.rows("select hour from run_hours order by all") == stored
        assert not hours.renew()
        assert store.rows("select hour from changed_hours") == stored[1:]
        hours.renew_all()
        assert store.rows("from changed_hours") == []


def test_hour_that_changes_while_it_is_counted_stays_marked(tmp_path: Path) -> None:
    later = Clock()
    later.pass_by(days=1)
    with opened(tmp_path) as store:
        store.add_runs()
        hours = Hours(store.database, store.results, now=later)
        counts = hours._count()
        store.add_runs(2)
        assert counts is not None
        hours._store(counts)
        assert store.rows("select runs from run_hours") == [(1,)]
        assert runs(store) == [(MIDNIGHT, 2, 0)]
        check(store)


def test_counts_of_another_definition_are_made_again_when_the_store_is_opened(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        count_again(store)
        with store.results.transaction() as connection:
            connection.execute("update run_hours set runs = 7")
            connection.execute("delete from outcomes_definition")
    with opened(tmp_path) as store:
        assert runs(store) == [(MIDNIGHT, 1, 0)]
        check(store)


def test_definition_is_that_of_all_that_it_reads_without_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    before = definitions._hash(definitions._OUTCOMES)

    def change(name: str, old: str, new: str) -> str:
        files = {
            kind: [
                replace(each, text=each.text.replace(old, new)) if each.name == name else each for each in objects(kind)
            ]
            for kind in ("macro", "view")
        }
        monkeypatch.setattr(definitions, "objects", files.__getitem__)
        definitions._hash.cache_clear()
        return definitions._hash(definitions._OUTCOMES)

    assert change("latest_scores", "-- purpose:", "-- purpose:  really") == before
    assert change("latest_scores", "superseded_at is null", "true") != before
    assert change("score_hours_of", "sum(", "max(") == before
    monkeypatch.undo()
    definitions._hash.cache_clear()


def test_absurd_numbers_are_cut_off(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set total_cost_usd = 1e300, duration_ms = 'nan'")
        assert runs(store, "cost_nanousd, duration_ms") == [(10**15, 10**12)]
