"""Who makes room when all turns are taken."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from tests.support.polling import until

from tracegrade.queries.fence import SqlTimedOut
from tracegrade.queries.http.turns import SURE_S, QueryTurns
from tracegrade.queries.ports import Unavailable


@dataclass
class Clock:
    """Seconds that pass when a test says so."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


def run(turns: QueryTurns, began: threading.Event, cancelled: threading.Event) -> None:
    """A query without end."""
    with turns.turn(cancelled):
        began.set()
        assert cancelled.wait(10)
        raise SqlTimedOut("stopped")


def test_query_that_has_run_longest_makes_room_for_one_that_waits() -> None:
    clock = Clock()
    turns = QueryTurns(2, clock=clock)
    begun = [threading.Event() for _ in range(3)]
    ended = [threading.Event() for _ in range(3)]
    with ThreadPoolExecutor(3) as threads:
        running = []
        for number in range(2):
            running.append(threads.submit(run, turns, begun[number], ended[number]))
            assert begun[number].wait(10)
            clock.now_s += 1
        running.append(threads.submit(run, turns, begun[2], ended[2]))
        assert not begun[2].wait(0.2)
        clock.now_s = SURE_S
        assert begun[2].wait(10)
        with pytest.raises(Unavailable, match="other queries were waiting"):
            running[0].result(10)
        assert not ended[1].is_set()
        ended[1].set()
        ended[2].set()
        for one in running[1:]:
            with pytest.raises(SqlTimedOut, match="stopped"):
                one.result(10)


def test_query_runs_as_long_as_it_may_while_nobody_waits() -> None:
    clock = Clock()
    turns = QueryTurns(2, clock=clock)
    cancelled = threading.Event()
    with turns.turn(cancelled):
        clock.now_s = 100 * SURE_S
        with turns.turn(threading.Event()):
            pass
    assert not cancelled.is_set()


def test_query_that_is_cancelled_while_it_waits_takes_no_turn() -> None:
    turns = QueryTurns(1)
    cancelled = threading.Event()
    cancelled.set()
    with (
        turns.turn(threading.Event()),
        pytest.raises(SqlTimedOut, match="the client has disconnected"),
        turns.turn(cancelled),
    ):
        raise AssertionError("it ran")
    with turns.turn(threading.Event()):
        pass


def test_turns_are_taken_in_the_order_of_those_who_wait() -> None:
    turns = QueryTurns(1)
    began, cancelled = threading.Event(), threading.Event()
    order: list[int] = []

    def ask(number: int) -> None:
        with turns.turn(threading.Event()):
            order.append(number)

    with ThreadPoolExecutor(6) as threads:
        first = threads.submit(run, turns, began, cancelled)
        assert began.wait(10)
        later = []
        for number in range(5):
            later.append(threads.submit(ask, number))
            until(lambda: len(turns._waiting), (number + 1).__eq__)
        cancelled.set()
        for one in later:
            one.result(10)
        with pytest.raises(SqlTimedOut):
            first.result(10)
    assert order == [*range(5)]
