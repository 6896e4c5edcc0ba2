"""When a run is assembled and judged, whatever its spans do on the way, and whenever the program dies meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.otlp import run_id, span_id, trace_id
from tests.support.simulation import Moment, Simulation

from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.catalog.configure import configure

ERRORS, EFFICIENCY = configure("tool_error"), configure("tool_efficiency")
GATEWAY = 0xF0E
GRACE_S, IDLE_S = 2, 60
HOUR_S = 3600

JUDGED = [("tool_efficiency", 1.0), ("tool_error", 1.0)]
TRIP = [(span_id(1), "complete", 1)]

Opens = Callable[..., Simulation]

FIRST, *OTHERS = Moment
MOMENTS = [None, FIRST, *(pytest.param(moment, marks=pytest.mark.exhaustive) for moment in OTHERS)]
"""When the program dies; None: never."""


@pytest.fixture(params=MOMENTS, ids=lambda moment: f"dies {moment}" if moment else "lives on")
def begin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opens]:
    """Begins a simulation in which the program lives on, or dies again and again at one moment."""
    simulations: list[Simulation] = []

    def begin(**options: int) -> Simulation:
        simulations.append(Simulation(tmp_path, ERRORS, EFFICIENCY, dies_at=request.param, **options))
        return simulations[-1]

    yield begin
    for simulation in simulations:
        simulation.close()


def is_judged_once(simulation: Simulation) -> bool:
    """Whether no score stands twice in `scores`, and none beside another active on the same thing."""
    twice = "select score_id from scores group by score_id having count(*) > 1"
    beside = "select 1 from latest_scores group by target_id, evaluator having count(*) > 1"
    return not simulation.store.rows(twice) and not simulation.store.rows(beside)


def test_finished_run_is_judged_after_the_grace_and_no_sooner(begin: Opens) -> None:
    simulation = begin()
    simulation.export(agent_spans.trip())
    simulation.wait(GRACE_S - 0.1)
    assert simulation.runs() == []
    simulation.wait(2 * GRACE_S + 0.2)
    assert (simulation.runs(), simulation.active()) == (TRIP, JUDGED)


@pytest.mark.parametrize("is_remote", [None, True], ids=["flags say nothing", "remote"])
def test_agent_below_a_gateway_whose_spans_never_come_is_judged_within_ten_seconds(
    begin: Opens,
    is_remote: bool | None,  # noqa: FBT001
) -> None:
    agent, *others = agent_spans.trip(parent=GATEWAY)
    simulation = begin()
    simulation.export([replace(agent, parent_is_remote=is_remote), *others])
    simulation.wait(10)
    assert (simulation.runs(), simulation.active()) == (TRIP, JUDGED)


def test_run_is_judged_within_ten_seconds_while_its_neighbours_in_the_trace_never_fall_silent(begin: Opens) -> None:
    simulation = begin()
    simulation.export(agent_spans.trip(parent=GATEWAY))
    for number in range(10, 20):
        simulation.export([agent_spans.span(number, parent=GATEWAY, at_s=number)])
        simulation.wait(1)
    assert (simulation.runs(), simulation.active()) == (TRIP, JUDGED)
    simulation.export(
        [agent_spans.agent(20, name="checkout", parent=GATEWAY), agent_spans.tool(21, "pay", parent=20, at_s=1)]
    )
    for number in range(22, 32):
        simulation.export([agent_spans.span(number, parent=GATEWAY, at_s=number)])
        simulation.wait(1)
    assert simulation.runs() == [*TRIP, (span_id(20), "complete", 1)]
    assert is_judged_once(simulation)


def test_run_that_is_not_complete_waits_while_its_neighbours_never_fall_silent(begin: Opens) -> None:
    _, *children = agent_spans.trip()
    simulation = begin()
    simulation.export(children)
    for number in range(10, 90):
        simulation.export([agent_spans.span(number, parent=GATEWAY, at_s=number)])
        simulation.wait(1)
    assert (simulation.runs(), simulation.active()) == ([], [])


def test_agent_that_ends_before_its_children_is_judged_and_judged_again_with_them(begin: Opens) -> None:
    agent, *children = agent_spans.trip()
    simulation = begin()
    simulation.export([agent])
    simulation.wait(10)
    assert simulation.runs() == [(span_id(1), "complete", 0)]
    assert simulation.active("evaluator, status, revision") == [
        ("tool_efficiency", "skipped", 1),
        ("tool_error", "skipped", 1),
    ]
    simulation.export(children)
    simulation.wait(10)
    assert (simulation.runs(), simulation.active()) == (TRIP, JUDGED)
    assert simulation.active("distinct revision") == [(2,)]
    assert simulation.store.one("select count(*) from scores where superseded_at is not null") == 2
    assert is_judged_once(simulation)


@pytest.mark.parametrize("every_s", [5, 60], ids=["five seconds", "minute"])
def test_run_is_whole_in_the_end_when_its_exporter_sends_now_and_then(begin: Opens, every_s: int) -> None:
    """The agent span, which ends last, comes last: until then its children are somebody's without a parent."""
    agent, *children = agent_spans.trip()
    simulation = begin()
    for span in [*children, agent]:
        simulation.export([span])
        simulation.wait(every_s)
    assert (simulation.runs(), simulation.active()) == (TRIP, JUDGED)
    assert is_judged_once(simulation)


def test_nothing_is_judged_while_the_batches_of_a_run_keep_coming(begin: Opens) -> None:
    agent, *children = agent_spans.trip()
    simulation = begin()
    for span in children:
        simulation.export([span])
        simulation.wait(5)
    assert (simulation.runs(), simulation.active()) == ([], [])
    simulation.export([agent])
    simulation.wait(10)
    assert simulation.store.one("select count(*) from scores") == 2


def long_run(hours: int, every_s: int) -> Iterator[Span]:
    """The spans of an agent at work, in the order in which they end: the agent's own comes last."""
    last = hours * HOUR_S // every_s
    for number in range(2, last + 2):
        yield agent_spans.tool(number, f"step{number % 7}", parent=1, at_s=(number - 2) * every_s, args={"n": number})
    yield agent_spans.agent(1, for_s=hours * HOUR_S)


def test_run_of_six_hours_is_judged_when_it_has_ended_and_not_before(begin: Opens) -> None:
    simulation = begin()
    *steps, agent = long_run(hours=6, every_s=1800)
    for step in steps:
        simulation.export([step])
        simulation.wait(1800)
    assert (simulation.runs(), simulation.active()) == ([], [])
    simulation.export([agent])
    simulation.wait(10)
    assert simulation.runs() == [(span_id(1), "complete", 12)]
    assert simulation.active("evaluator, revision") == [("tool_efficiency", 1), ("tool_error", 1)]


def test_model_calls_of_a_run_of_six_hours_are_seen_as_a_partial_run_until_it_ends(begin: Opens) -> None:
    simulation = begin()
    for number in range(2, 5):
        simulation.export([agent_spans.chat(number, parent=1, at_s=number * HOUR_S)])
        simulation.wait(2 * HOUR_S)
    assert simulation.runs("agent_span_id, completeness, llm_call_count") == [(span_id(2), "partial", 3)]
    simulation.export([agent_spans.agent(1, for_s=6 * HOUR_S)])
    simulation.wait(10)
    assert simulation.runs("agent_span_id, completeness, llm_call_count") == [(span_id(1), "complete", 3)]
    assert simulation.active("distinct agent_trace_id") == [(run_id(1),)]
    assert is_judged_once(simulation)


def test_restart_during_a_long_run_looks_at_that_run_only(begin: Opens) -> None:
    simulation = begin()
    for number in range(2, 6):
        simulation.export([agent_spans.chat(number, trace=99, parent=1, at_s=number * 30)])
        simulation.export(agent_spans.trip(number))
        simulation.wait(30)
    simulation.restart()
    assert [trace for trace, *_ in simulation.store.unassembled()] == [trace_id(99)]
    simulation.export([agent_spans.agent(1, trace=99, for_s=400)])
    simulation.wait(10)
    assert (
        simulation.store.one("select llm_call_count from agent_traces where trace_id = $1", **{"1": trace_id(99)}) == 4
    )
    assert simulation.store.unassembled() == []


def test_run_that_lost_a_parent_is_judged_as_it_is_once_it_has_been_idle(begin: Opens) -> None:
    simulation = begin()
    simulation.export([*agent_spans.trip(), agent_spans.tool(9, "book", parent=8, at_s=7)])
    simulation.wait(IDLE_S - 1)
    assert simulation.runs() == []
    simulation.wait(IDLE_S + 10)
    assert simulation.runs() == [(span_id(1), "partial", 2)]
    assert len(simulation.active()) == 2


def test_run_whose_agent_span_has_not_ended_is_judged_as_it_is_once_it_has_been_idle(begin: Opens) -> None:
    agent, *children = agent_spans.trip()
    simulation = begin()
    simulation.export([replace(agent, end_ns=0, duration_ms=None), *children])
    simulation.wait(IDLE_S - 1)
    assert simulation.runs() == []
    simulation.wait(IDLE_S + 10)
    assert simulation.runs() == [(span_id(1), "partial", 1)]


def test_span_that_comes_a_day_later_makes_a_revision_that_is_judged_in_place_of_the_old_one(begin: Opens) -> None:
    simulation = begin()
    simulation.export(agent_spans.trip())
    simulation.wait(24 * HOUR_S)
    simulation.export([agent_spans.tool(9, "book", parent=1, at_s=7, status_code="error", status_message="full")])
    simulation.wait(10)
    assert simulation.runs("agent_span_id, revision, tool_call_count") == [(span_id(1), 2, 2)]
    kept = "select revision, passed, superseded_at is null from scores where evaluator = 'tool_error' order by revision"
    assert simulation.store.rows(kept) == [(1, True, False), (2, False, True)]
    assert is_judged_once(simulation)


@pytest.mark.parametrize("after_s", [1, 24 * HOUR_S], ids=["in the grace", "a day later"])
def test_batch_that_is_sent_again_changes_nothing_and_is_not_judged_again(begin: Opens, after_s: int) -> None:
    simulation = begin()
    simulation.export(agent_spans.trip())
    simulation.wait(after_s)
    simulation.export(agent_spans.trip())
    simulation.wait(10)
    assert simulation.runs("agent_span_id, revision") == [(span_id(1), 1)]
    assert simulation.store.one("select count(*) from scores") == 2


@pytest.mark.parametrize("off_s", [-600, 600], ids=["ten minutes behind", "ten minutes ahead"])
def test_services_whose_clocks_differ_by_minutes_are_one_run_that_is_judged_when_all_of_it_has_arrived(
    begin: Opens, off_s: int
) -> None:
    """The tool's service has another clock; its spans come with its own exporter."""
    agent, asks, _, answers = agent_spans.trip()
    call = agent_spans.span(8, parent=1, at_s=3)
    simulation = begin()
    simulation.export(
        [agent_spans.tool(3, parent=8, at_s=3 + off_s, args={"to": "Paris"}, result="AF007", call_id="call_1")]
    )
    simulation.wait(5)
    assert simulation.runs() == []
    simulation.export([asks, call, answers, agent])
    simulation.wait(10)
    assert (simulation.runs(), simulation.active()) == (TRIP, JUDGED)
    assert simulation.store.one("select count(*) from scores") == 2


def test_trace_whose_spans_are_dated_years_ago_is_judged_as_soon_as_any(begin: Opens) -> None:
    decade_s = 10 * 365 * 24 * HOUR_S
    simulation = begin()
    simulation.export([replace(span, start_ns=span.start_ns - decade_s * 10**9) for span in agent_spans.trip()])
    simulation.wait(10)
    assert len(simulation.active()) == 2


def test_trace_that_keeps_growing_is_revised_once_a_minute_at_most_after_the_tenth_revision(begin: Opens) -> None:
    simulation = begin()
    simulation.export([agent_spans.agent(1, for_s=24 * HOUR_S)])
    simulation.wait(10)
    revised: list[float] = []
    for number in range(2, 27):
        simulation.export([agent_spans.tool(number, parent=1, at_s=number, args={"n": number})])
        simulation.wait(10 if number < 11 else 20)
        [(revision, assembled_at)] = simulation.runs("revision, epoch(assembled_at)")
        if revision >= 10 and assembled_at not in revised:
            revised.append(assembled_at)
    assert all(after - before >= 60 for before, after in pairwise(revised))
    assert len(revised) >= 4
    simulation.wait(120)
    assert simulation.runs("tool_call_count") == [(25,)]
    assert simulation.active("distinct revision") == simulation.runs("revision")
    assert is_judged_once(simulation)


def test_oldest_traces_are_taken_as_they_are_when_too_many_are_open(begin: Opens) -> None:
    simulation = begin(limit=3)
    for trace in range(1, 6):
        simulation.export([agent_spans.agent(1, trace=trace), agent_spans.tool(9, trace=trace, parent=8, at_s=1)])
        simulation.wait(5)
    simulation.assemble()
    assert simulation.runs("trace_id, completeness") == [(trace_id(1), "partial"), (trace_id(2), "partial")]


def test_traces_beyond_twice_the_limit_are_left_to_the_store_and_judged_all_the_same(begin: Opens) -> None:
    simulation = begin(limit=2)
    for trace in range(1, 9):
        simulation.export(agent_spans.trip(trace))
    assert len(simulation.open_traces) == 4
    simulation.wait(60)
    assert len(simulation.runs("distinct trace_id")) == 8
    assert simulation.store.one("select count(*) from scores") == 16
    assert simulation.store.unassembled() == []


def test_everything_is_judged_at_once_when_nothing_more_will_come(tmp_path: Path) -> None:
    simulation = Simulation(tmp_path, ERRORS, limit=2)
    for trace in range(1, 9):
        simulation.export(agent_spans.trip(trace)[:2] if trace % 2 else agent_spans.trip(trace)[1:])
    simulation.assembler.expire()
    simulation.work()
    assert len(simulation.runs("distinct trace_id")) == 8
    assert simulation.store.unassembled() == []
    simulation.close()
