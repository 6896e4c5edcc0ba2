from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tracegrade.collector.open_traces import OpenTraces, Ripe

GRACE_S, IDLE_S = 2.0, 60.0


def opened(limit: int = 100) -> OpenTraces:
    return OpenTraces(grace_s=GRACE_S, idle_s=IDLE_S, limit=limit)


def ripe(traces: OpenTraces, now: float, *, count: int = 100, size_bytes: int = 10**9) -> list[Ripe]:
    return traces.ripe(now, count=count, size_bytes=size_bytes)


def ids(traces: OpenTraces, now: float, **more: Any) -> list[str]:
    return [one.trace_id for one in ripe(traces, now, **more)]


def test_trace_is_ripe_after_the_grace() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    assert ids(traces, GRACE_S - 0.1) == []
    assert ripe(traces, GRACE_S) == [Ripe("a", is_final=False)]


def test_arrival_starts_the_grace_again() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    traces.arrived(2, {"a": 10}, 1.5)
    assert ids(traces, GRACE_S) == []
    assert ids(traces, 1.5 + GRACE_S) == ["a"]


def test_chosen_trace_is_not_chosen_again_at_once() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    assert ids(traces, 5) == ["a"]
    assert ids(traces, 5) == []
    assert len(traces) == 1


def test_chosen_trace_of_which_nothing_is_heard_comes_again() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    assert ids(traces, 5) == ["a"]
    assert ids(traces, 5 + IDLE_S) == ["a"]


def test_closed_trace_is_forgotten() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    ripe(traces, 5)
    traces.close("a", seen_seq=1)
    assert len(traces) == 0
    assert ids(traces, 1_000) == []
    assert traces.settled_seq(1) == 1


def test_trace_that_is_not_complete_is_final_once_it_has_been_idle() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    ripe(traces, 5)
    traces.wait("a", seen_seq=1)
    assert ids(traces, IDLE_S - 0.1) == []
    assert ripe(traces, IDLE_S) == [Ripe("a", is_final=True)]


def test_arrival_takes_the_finality_back() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    ripe(traces, 5)
    traces.wait("a", seen_seq=1)
    traces.arrived(2, {"a": 10}, 20)
    assert ripe(traces, 20 + GRACE_S) == [Ripe("a", is_final=False)]
    assert ids(traces, IDLE_S) == []


@pytest.mark.parametrize("answer", ["close", "wait"])
def test_trace_that_grew_while_it_was_assembled_is_looked_at_again_after_the_grace(answer: str) -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    ripe(traces, 5)
    traces.arrived(2, {"a": 10}, 6)
    getattr(traces, answer)("a", seen_seq=1)
    assert ids(traces, 6 + GRACE_S - 0.1) == []
    assert ripe(traces, 6 + GRACE_S) == [Ripe("a", is_final=False)]
    assert traces.settled_seq(2) == (1 if answer == "close" else 0)


@pytest.mark.parametrize("is_final", [False, True], ids=["not-final", "final"])
def test_postponed_trace_comes_at_its_time_and_stays_as_final_as_it_was(is_final: bool) -> None:  # noqa: FBT001
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    if is_final:
        traces.expire()
    ripe(traces, 5)
    traces.postpone("a", until=65)
    assert ids(traces, 64) == []
    assert ripe(traces, 65) == [Ripe("a", is_final=is_final)]
    assert traces.settled_seq(1) == 0


def test_oldest_are_ripe_at_once_and_final_when_too_many_are_open() -> None:
    traces = opened(limit=2)
    for at, trace_id in enumerate("abcd"):
        traces.arrived(at + 1, {trace_id: 10}, at / 10)
    assert ripe(traces, 0.5) == [Ripe("a", is_final=True), Ripe("b", is_final=True)]


def test_every_open_trace_counts_against_the_limit_whether_or_not_it_was_chosen() -> None:
    traces = opened(limit=2)
    for at, trace_id in enumerate("abcd"):
        traces.arrived(at + 1, {trace_id: 10}, at / 10)
    for trace_id in ids(traces, 0.5):
        traces.close(trace_id, seen_seq=4)
    assert len(traces) == 2
    assert ids(traces, 0.5) == []
    assert ids(traces, 5) == ["c", "d"]


def test_batch_is_bounded_by_count_and_by_content() -> None:
    traces = opened()
    traces.arrived(1, {"a": 60, "b": 60, "c": 60}, 0)
    assert ids(traces, 5, size_bytes=100) == ["a", "b"]
    assert ids(traces, 5, count=1) == ["c"]


def test_trace_larger_than_a_batch_is_a_batch_of_its_own() -> None:
    traces = opened()
    traces.arrived(1, {"a": 1_000}, 0)
    assert ids(traces, 5, size_bytes=100) == ["a"]


def test_everything_is_due_and_final_when_nothing_more_will_come() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10, "b": 10}, 0)
    traces.expire()
    assert ripe(traces, 0) == [Ripe("a", is_final=True), Ripe("b", is_final=True)]


def test_what_was_open_before_a_restart_is_open_after_it() -> None:
    traces = opened()
    traces.reopen([("a", 3, 5), ("b", 4, 4)], 100)
    assert traces.settled_seq(5) == 2
    assert ids(traces, 100) == []
    assert ids(traces, 100 + GRACE_S) == ["a", "b"]
    traces.close("a", seen_seq=5)
    assert traces.settled_seq(5) == 3


def test_nothing_is_due_when_nothing_is_open() -> None:
    traces = opened()
    assert traces.next_due_at is None
    traces.arrived(1, {"a": 10}, 7)
    assert traces.next_due_at == 7 + GRACE_S


TRACE_IDS = st.sampled_from("abcdef")


class OpenTracesMachine(RuleBasedStateMachine):
    """Commits come, time passes, traces are chosen and dealt with, in any order; a model keeps what is undone."""

    limit = 3

    def __init__(self) -> None:
        super().__init__()
        self.traces = opened(self.limit)
        self.now = 0.0
        self.last_seq = 0
        self.undone: dict[str, set[int]] = {}
        self.heard: dict[str, float] = {}
        self.has_expired = False
        self.chosen: dict[str, int] = {}

    @rule(trace_ids=st.sets(TRACE_IDS, min_size=1))
    def commit(self, trace_ids: set[str]) -> None:
        self.last_seq += 1
        self.traces.arrived(self.last_seq, dict.fromkeys(sorted(trace_ids), 10), self.now)
        for trace_id in trace_ids:
            self.undone.setdefault(trace_id, set()).add(self.last_seq)
            self.heard[trace_id] = self.now

    @rule(seconds=st.sampled_from([0.1, 1.0, GRACE_S, 30.0, IDLE_S]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: not self.chosen)
    @rule(count=st.integers(1, 4))
    def choose(self, count: int) -> None:
        is_full = len(self.undone) > self.limit
        for one in ripe(self.traces, self.now, count=count):
            quiet_s = self.now - self.heard[one.trace_id]
            assert is_full or self.has_expired or quiet_s >= GRACE_S - 1e-6
            assert is_full or self.has_expired or not one.is_final or quiet_s >= IDLE_S - 1e-6
            assert one.trace_id not in self.chosen
            self.chosen[one.trace_id] = self.last_seq

    @precondition(lambda self: self.chosen)
    @rule(data=st.data())
    def deal_with(self, data: st.DataObject) -> None:
        trace_id = data.draw(st.sampled_from(sorted(self.chosen)))
        seen_seq = self.chosen.pop(trace_id)
        match data.draw(st.sampled_from(["close", "close", "wait", "postpone", "forget"])):
            case "close":
                self.traces.close(trace_id, seen_seq=seen_seq)
                self.undone[trace_id] = {seq for seq in self.undone[trace_id] if seq > seen_seq}
            case "wait":
                self.traces.wait(trace_id, seen_seq=seen_seq)
            case "postpone":
                self.traces.postpone(trace_id, until=self.now + 60)
        self.undone = {trace_id: seqs for trace_id, seqs in self.undone.items() if seqs}

    @rule()
    def restart(self) -> None:
        self.traces = opened(self.limit)
        self.traces.reopen([(one, min(seqs), max(seqs)) for one, seqs in sorted(self.undone.items())], self.now)
        self.heard = dict.fromkeys(self.undone, self.now)
        self.chosen = {}

    @rule()
    def expire(self) -> None:
        self.traces.expire()
        self.has_expired = True

    @invariant()
    def what_is_undone_is_open(self) -> None:
        assert len(self.traces) == len(self.undone)

    @invariant()
    def settled_seq_never_passes_an_open_trace(self) -> None:
        undone = set().union(*self.undone.values())
        assert self.traces.settled_seq(self.last_seq) <= (min(undone) - 1 if undone else self.last_seq)
        assert undone or self.traces.settled_seq(self.last_seq) == self.last_seq

    def teardown(self) -> None:
        """Whatever happened: in the end each trace gets its turn."""
        for _ in range(3):
            self.now += 2 * IDLE_S
            for trace_id in ids(self.traces, self.now):
                self.traces.close(trace_id, seen_seq=self.last_seq)
        assert len(self.traces) == 0


OpenTracesMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
test_any_course_of_events = OpenTracesMachine.TestCase
