"""One service sends hundreds of thousands of traces: the others are served as if it did not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.simulation import Simulation
from tests.support.store import Store
from tests.support.store import opened as opened_store

from tracegrade.collector.assembling.open_traces import DueTrace, OpenTraces
from tracegrade.collector.assembling.round_size import FEWEST, RoundSize
from tracegrade.collector.otlp.decode import Row, decode_spans
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.passes.run_pass import Summary

GRACE_S, IDLE_S = 2.0, 60.0
ERRORS = configure("tool_error")
FLOOD = 3_000
QUIET = "quiet"


def opened(limit: int = 1_000_000) -> OpenTraces:
    return OpenTraces(grace_s=GRACE_S, idle_s=IDLE_S, limit=limit)


def flood(traces: OpenTraces, count: int, *, service: str = "flood", seq: int = 1, now: float = 0.0) -> None:
    """A commit of so many traces of one service."""
    trace_ids = [f"{service}-{seq}-{number}" for number in range(count)]
    traces.arrived(seq, dict.fromkeys(trace_ids, 100), now, services=dict.fromkeys(trace_ids, service))


def one_run(traces: OpenTraces, *, seq: int = 2, now: float = 0.0) -> None:
    traces.arrived(seq, {QUIET: 100}, now, services={QUIET: "quiet"})


def chosen(traces: OpenTraces, now: float, count: int = 200) -> list[DueTrace]:
    return traces.choose_due(now, count=count, size_bytes=10**9)


def decode_rows(spans: list[Any], service: str) -> list[Row]:
    return list(decode_spans(otlp.traces_request(spans, resource={"service.name": service})).rows)


def silent(count: int = FLOOD) -> list[Row]:
    """Traces of one span each that is no step of an agent."""
    return decode_rows([otlp.span(1, trace=1_000 + number) for number in range(count)], "flood")


def quiet() -> list[Row]:
    """A run whose turn comes last where nothing but its id decides."""
    return decode_rows([otlp.from_plain(span) for span in agent_spans.trip(1_000_000)], "quiet")


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    simulation = Simulation(tmp_path, limit=100_000)
    yield simulation
    simulation.close()


def add_runs(store: Store, service: str, *traces: int) -> None:
    """Runs of a service, assembled."""
    for trace in traces:
        store.arrivals.write(decode_rows([otlp.from_plain(span) for span in agent_spans.trip(trace)], service), [])
    store.revise(*traces)


def count_scored_runs(store: Store) -> dict[str, int]:
    """How many runs of each service have a score."""
    sql = "select service_name, count(*) from scores join agent_traces using (agent_trace_id) group by all"
    return dict(store.rows(sql))


def assembled(simulation: Simulation) -> bool:
    return ("quiet",) in simulation.runs("service_name")


def rounds(simulation: Simulation) -> Iterator[int]:
    """The rounds of assembly, one after the other, until nothing is due; gives how many traces each was about."""
    while due_traces := simulation.assembler.choose_due():
        settle, _ = simulation.assembler.assemble(due_traces, simulation.assembler.last_seq)
        settle()
        simulation.store.results.settle(simulation.assembler.settled_seq())
        yield len(due_traces)


def test_quiet_service_is_in_the_next_round_however_much_another_has_due_before_it() -> None:
    traces = opened()
    flood(traces, 50_000)
    one_run(traces)
    assert QUIET in {one.trace_id for one in chosen(traces, 10)}


def test_services_take_turns_from_one_round_to_the_next() -> None:
    traces = opened()
    for seq, service in enumerate("abc"):
        flood(traces, 100, service=service, seq=seq + 1)
    taken = [one.trace_id[0] for _ in range(3) for one in chosen(traces, 10, count=2)]
    assert taken == ["a", "b", "c", "a", "b", "c"]


def test_quiet_service_is_looked_after_though_another_has_twice_as_many_open_as_allowed() -> None:
    traces = opened(limit=100)
    flood(traces, 500)
    assert traces.left_from == 1
    one_run(traces)
    assert QUIET in {one.trace_id for one in chosen(traces, 10)}


def test_flood_makes_no_run_of_another_service_final_before_its_time() -> None:
    traces = opened(limit=100)
    one_run(traces, seq=1)
    assert chosen(traces, 5) == [DueTrace(QUIET, is_final=False)]
    traces.wait(QUIET, seen_seq=1)
    flood(traces, 150, seq=2, now=5)
    assert {one.trace_id[:5] for one in chosen(traces, 5)} == {"flood"}


def test_what_is_open_is_bounded_however_many_services_there_are() -> None:
    traces = opened(limit=100)
    for seq in range(1_000):
        flood(traces, 1, service=f"service {seq}", seq=seq + 1)
    assert len(traces) <= 300


def test_cost_of_a_round_does_not_grow_with_the_number_of_open_traces() -> None:
    def fifty_rounds_s(count: int) -> float:
        traces = opened()
        flood(traces, count)
        chosen(traces, 10, count=1)
        began = time.perf_counter()
        for _ in range(50):
            for one in chosen(traces, 10, count=20):
                traces.close(one.trace_id, seen_seq=1)
            traces.settled_seq(1)
        return time.perf_counter() - began

    assert fifty_rounds_s(100_000) < 10 * fifty_rounds_s(2_000) + 0.1


def test_traces_in_which_no_dialect_speaks_are_settled_thousands_at_once(simulation: Simulation) -> None:
    simulation.arrive(silent())
    simulation.clock.pass_by(seconds=3)
    sizes = list(rounds(simulation))
    assert sum(sizes) == FLOOD
    assert len(sizes) < 6
    assert simulation.store.unassembled() == []


def test_run_of_a_quiet_service_is_assembled_in_the_first_round_after_a_flood(simulation: Simulation) -> None:
    simulation.arrive(silent())
    simulation.arrive(quiet())
    simulation.clock.pass_by(seconds=3)
    next(rounds(simulation))
    assert assembled(simulation)


def test_services_take_turns_after_a_restart_too(simulation: Simulation) -> None:
    simulation.arrive(silent())
    simulation.arrive(quiet())
    simulation.restart()
    simulation.clock.pass_by(seconds=3)
    next(rounds(simulation))
    assert assembled(simulation)


def test_round_that_took_long_is_followed_by_a_smaller_one() -> None:
    round_size = RoundSize()
    for _ in range(10):
        round_size.took(0.1, traces=round_size.traces)
    most = round_size.traces
    round_size.took(5.0, traces=most)
    assert FEWEST <= round_size.traces <= most // 5
    round_size.took(0.0, traces=3)
    assert round_size.traces <= most // 5


def test_run_of_a_quiet_service_is_evaluated_in_the_next_pass_however_many_runs_are_before_it(tmp_path: Path) -> None:
    with opened_store(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        add_runs(store, "flood", *range(1, 31))
        add_runs(store, "quiet", 100)
        assert store.evaluate(ERRORS, limit=5) == Summary(targets=5, scores=5, is_full=True)
        assert count_scored_runs(store) == {"flood": 4, "quiet": 1}


def test_runs_whose_turn_was_not_come_are_each_evaluated_once_and_say_why_they_wait(tmp_path: Path) -> None:
    with opened_store(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        add_runs(store, "flood", *range(1, 31))
        add_runs(store, "quiet", 100)
        store.evaluate(ERRORS, limit=5)
        assert store.rows("select reason, kind, count(*) from deferrals group by all") == [
            ("runs of other services come first", "service_turn", 26)
        ]
        add_runs(store, "quiet", 101)
        store.evaluate(ERRORS, limit=5)
        assert count_scored_runs(store)["quiet"] == 2
        while store.evaluate(ERRORS, limit=5).is_full:
            pass
        assert count_scored_runs(store) == {"flood": 30, "quiet": 2}
        assert store.one("select count(*) from deferrals") == 0


def test_one_service_alone_is_evaluated_in_the_order_of_assembly(tmp_path: Path) -> None:
    with opened_store(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        add_runs(store, "flood", *range(1, 11))
        store.evaluate(ERRORS, limit=5)
        assert store.rows("select trace_id from scores order by all") == [(otlp.trace_id(n),) for n in range(1, 6)]
        assert store.one("select count(*) from deferrals") == 0
