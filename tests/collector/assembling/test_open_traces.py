from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tracegrade.collector.assembling.open_traces import DueTrace, OpenTraces
from tracegrade.collector.store.arrivals.assembly_source import Unassembled

GRACE_S, IDLE_S = 2.0, 60.0


def opened(limit: int = 100) -> OpenTraces:
    return OpenTraces(grace_s=GRACE_S, idle_s=IDLE_S, limit=limit)


def choose_due(traces: OpenTraces, now: float, *, count: int = 100, size_bytes: int = 10**9) -> list[DueTrace]:
    return traces.choose_due(now, count=count, size_bytes=size_bytes)


def ids(traces: OpenTraces, now: float, **more: Any) -> list[str]:
    return [one.trace_id for one in choose_due(traces, now, **more)]


def test_trace_is_ripe_after_the_grace() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    assert ids(traces, GRACE_S - 0.1) == []
    assert choose_due(traces, GRACE_S) == [DueTrace("a", is_final=False)]


def test_arrival_starts_the_grace_again() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    traces.arrived(2, {"a": 10}, 1.5)
    assert ids(traces, GRACE_S) == []
    assert ids(traces, 1.5 + GRACE_S) == ["a"]


def talk(traces: OpenTraces, seconds: int, *, size_bytes: int = 10) -> list[DueTrace]:
    """A trace says something each second, and is closed whenever its turn comes; gives what was due."""
    found = []
    for second in range(seconds):
        traces.arrived(second + 1, {"a": size_bytes}, second)
        for one in choose_due(traces, second):
            found.append(one)
            traces.close(one.trace_id, seen_seq=second + 1)
    return found


def test_trace_that_is_never_silent_is_ripe_again_and_again_and_never_final() -> None:
    assert talk(opened(), 30) == [DueTrace("a", is_final=False)] * 6


def test_trace_that_is_never_silent_is_looked_at_less_often_the_larger_it_is() -> None:
    assert len(talk(opened(), 3_600)) == 720
    assert 60 < len(talk(opened(), 3_600, size_bytes=100_000)) < 100
    assert len(talk(opened(), 3_600, size_bytes=10**9)) == 3_600 // (IDLE_S + 1)


def test_trace_that_fell_silent_is_ripe_after_the_grace_however_large_it_is() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10**9}, 0)
    traces.arrived(2, {"a": 10**9}, 1)
    assert ids(traces, 1 + GRACE_S) == ["a"]


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
    choose_due(traces, 5)
    traces.close("a", seen_seq=1)
    assert len(traces) == 0
    assert ids(traces, 1_000) == []
    assert traces.settled_seq(1) == 1


def test_trace_that_is_not_complete_is_final_once_it_has_been_idle() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    choose_due(traces, 5)
    traces.wait("a", seen_seq=1)
    assert ids(traces, IDLE_S - 0.1) == []
    assert choose_due(traces, IDLE_S) == [DueTrace("a", is_final=True)]


def test_arrival_takes_the_finality_back() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    choose_due(traces, 5)
    traces.wait("a", seen_seq=1)
    traces.arrived(2, {"a": 10}, 20)
    assert choose_due(traces, 20 + GRACE_S) == [DueTrace("a", is_final=False)]
    assert ids(traces, IDLE_S) == []


def tell(traces: OpenTraces, answer: str, trace_id: str, seen_seq: int, until: float) -> None:
    """Says what became of a chosen trace."""
    if answer == "postpone":
        traces.postpone(trace_id, until=until)
    else:
        getattr(traces, answer)(trace_id, seen_seq=seen_seq)


@pytest.mark.parametrize("answer", ["close", "wait"])
def test_trace_that_grew_while_it_was_assembled_is_looked_at_again_after_the_grace(answer: str) -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    choose_due(traces, 5)
    traces.arrived(2, {"a": 10}, 6)
    getattr(traces, answer)("a", seen_seq=1)
    assert ids(traces, 6 + GRACE_S - 0.1) == []
    assert choose_due(traces, 6 + GRACE_S) == [DueTrace("a", is_final=False)]
    assert traces.settled_seq(2) == (1 if answer == "close" else 2)


@pytest.mark.parametrize("is_final", [False, True], ids=["not-final", "final"])
def test_postponed_trace_comes_at_its_time_and_stays_as_final_as_it_was(is_final: bool) -> None:  # noqa: FBT001
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    choose_due(traces, 5)
    if is_final:
        traces.wait("a", seen_seq=1)
        choose_due(traces, IDLE_S)
    traces.postpone("a", until=130)
    assert ids(traces, 129) == []
    assert choose_due(traces, 130) == [DueTrace("a", is_final=is_final)]


@pytest.mark.parametrize("answer", ["wait", "postpone"])
def test_trace_that_the_store_remembers_holds_nothing_up(answer: str) -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    choose_due(traces, 5)
    tell(traces, answer, "a", 1, 65)
    assert traces.settled_seq(1) == 1
    traces.arrived(2, {"a": 10}, 20)
    assert traces.settled_seq(2) == 2


def test_trace_that_was_remembered_and_grew_while_it_was_completed_holds_up_what_came_since() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    choose_due(traces, 5)
    traces.wait("a", seen_seq=1)
    choose_due(traces, IDLE_S)
    traces.arrived(2, {"a": 10}, IDLE_S)
    traces.close("a", seen_seq=1)
    assert traces.settled_seq(2) == 1


def test_oldest_are_ripe_at_once_and_final_when_too_many_are_open() -> None:
    traces = opened(limit=2)
    for at, trace_id in enumerate("abcd"):
        traces.arrived(at + 1, {trace_id: 10}, at / 10)
    assert choose_due(traces, 0.5) == [DueTrace("a", is_final=True), DueTrace("b", is_final=True)]


def test_trace_that_has_long_been_silent_goes_before_one_that_just_came() -> None:
    traces = opened(limit=2)
    traces.arrived(1, {"a": 10, "b": 10}, 0)
    for trace_id in ids(traces, GRACE_S):
        traces.wait(trace_id, seen_seq=1)
    traces.arrived(2, {"c": 10}, 30)
    assert choose_due(traces, 30) == [DueTrace("a", is_final=True)]


def test_trace_that_grew_is_not_the_oldest() -> None:
    traces = opened(limit=2)
    traces.arrived(1, {"a": 10, "b": 10}, 0)
    traces.arrived(2, {"a": 10}, 1)
    traces.arrived(3, {"c": 10}, 1)
    assert ids(traces, 1) == ["b"]


def test_postponed_trace_is_not_taken_before_its_time_though_too_many_are_open() -> None:
    traces = opened(limit=1)
    traces.arrived(1, {"a": 10, "b": 10}, 0)
    for trace_id in ids(traces, 5):
        traces.postpone(trace_id, until=65)
    assert ids(traces, 5) == []
    assert ids(traces, 65) == ["a", "b"]


def test_new_traces_are_left_to_the_store_while_twice_as_many_as_allowed_are_open() -> None:
    traces = opened(limit=2)
    traces.arrived(1, {"a": 10, "b": 10}, 0)
    traces.arrived(2, {"c": 10, "d": 10, "e": 10}, 1)
    assert (len(traces), traces.left_from) == (4, 2)
    assert traces.room(leaving=0) == 0
    for trace_id in ids(traces, 1):
        traces.close(trace_id, seen_seq=2)
    traces.arrived(3, {"f": 10, "d": 10}, 2)
    assert (len(traces), traces.left_from, traces.room(leaving=0)) == (1, 2, 1)
    assert traces.settled_seq(3) == 1
    traces.reopen([Unassembled("e", 2, 2), Unassembled("f", 3, 3)], 3, taken_seq=3)
    assert (len(traces), traces.left_from) == (3, None)


def test_nothing_is_settled_that_was_left_to_the_store() -> None:
    traces = opened(limit=1)
    traces.arrived(1, {"a": 10, "b": 10}, 0)
    traces.arrived(2, {"c": 10}, 0)
    chosen = ids(traces, 5)
    traces.arrived(3, {"a": 10, "b": 10}, 5)
    for trace_id in chosen:
        traces.close(trace_id, seen_seq=2)
    assert traces.settled_seq(3) == 1


def test_what_came_while_the_store_was_read_is_still_left() -> None:
    traces = opened(limit=1)
    traces.resume(4)
    assert traces.left_from == 0
    traces.arrived(5, {"b": 10}, 0)
    traces.reopen([Unassembled("a", 3, 4)], 0, taken_seq=4)
    assert traces.left_from == 5


def test_restless_trace_is_postponed_no_more_when_nothing_more_will_come() -> None:
    traces = opened()
    traces.arrived(1, {"a": 10}, 0)
    ids(traces, 5)
    traces.postpone("a", until=65)
    traces.expire()
    assert traces.is_over
    assert choose_due(traces, 5) == [DueTrace("a", is_final=True)]


def test_what_is_taken_up_when_nothing_more_will_come_is_due_at_once() -> None:
    traces = opened()
    traces.expire()
    traces.reopen([Unassembled("a", 1, 1)], 5, taken_seq=1)
    assert choose_due(traces, 5) == [DueTrace("a", is_final=True)]


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
    assert choose_due(traces, 0) == [DueTrace("a", is_final=True), DueTrace("b", is_final=True)]


def test_what_was_open_before_a_restart_is_open_after_it() -> None:
    traces = opened()
    traces.reopen([Unassembled("a", 3, 5), Unassembled("b", 4, 4)], 100, taken_seq=5)
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


TRACE_IDS = st.sampled_from("abcdefghij")


class OpenTracesMachine(RuleBasedStateMachine):
    """Commits come, time passes, traces are chosen and dealt with, in any order; a model keeps what is undone.

    The model stands for the store, too: it knows each commit, up to which one everything is settled, and which traces
    wait.
    """

    limit = 3

    def __init__(self) -> None:
        super().__init__()
        self.traces = opened(self.limit)
        self.now = 0.0
        self.last_seq = self.settled = 0
        self.undone: dict[str, set[int]] = {}
        self.waiting: set[str] = set()
        self.heard: dict[str, float] = {}
        self.new_since: dict[str, float] = {}
        self.chosen: dict[str, int] = {}

    @rule(trace_ids=st.sets(TRACE_IDS, min_size=1))
    def commit(self, trace_ids: set[str]) -> None:
        self.last_seq += 1
        self.traces.arrived(self.last_seq, dict.fromkeys(sorted(trace_ids), 10), self.now)
        for trace_id in trace_ids:
            self.undone.setdefault(trace_id, set()).add(self.last_seq)
            self.heard[trace_id] = self.now
            self.new_since.setdefault(trace_id, self.now)

    @rule(seconds=st.sampled_from([0.1, 1.0, GRACE_S, 30.0, IDLE_S]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: not self.chosen)
    @rule(count=st.integers(1, 4))
    def choose(self, count: int) -> None:
        may_hurry = len(self.traces) > self.limit or self.traces.left_from is not None or self.traces.is_over
        for one in choose_due(self.traces, self.now, count=count):
            quiet_s = self.now - self.heard[one.trace_id]
            waited_s = self.now - self.new_since.pop(one.trace_id, self.now)
            assert may_hurry or quiet_s >= GRACE_S - 1e-6 or waited_s >= 2 * GRACE_S - 1e-6
            assert may_hurry or not one.is_final or quiet_s >= IDLE_S - 1e-6
            assert one.trace_id not in self.chosen
            self.chosen[one.trace_id] = self.last_seq

    @precondition(lambda self: self.chosen)
    @rule(data=st.data())
    def deal_with(self, data: st.DataObject) -> None:
        trace_id = data.draw(st.sampled_from(sorted(self.chosen)))
        seen_seq = self.chosen.pop(trace_id)
        answer = data.draw(st.sampled_from(["close", "close", "wait", "postpone", "forget"]))
        if answer == "forget":
            return
        tell(self.traces, answer, trace_id, seen_seq, self.now + 60)
        if answer == "close":
            self._done(trace_id, seen_seq)
        else:
            self.waiting.add(trace_id)

    @rule(takes_long=st.booleans(), leaving=st.integers(0, 3))
    def take_up_what_was_left(self, takes_long: bool, leaving: int) -> None:  # noqa: FBT001 - drawn
        from_seq, room, seen_seq = self.traces.left_from, self.traces.room(leaving=leaving), self.last_seq
        if from_seq is None or room < 1:
            return
        found, taken_seq = self._left(from_seq, room, seen_seq)
        if takes_long:
            self.commit({"a", "j"})
        self.traces.reopen(found, self.now, taken_seq=taken_seq)

    @rule()
    def restart(self) -> None:
        self.traces = opened(self.limit)
        self.traces.resume(self.last_seq)
        found, taken_seq = self._left(0, self.limit, self.last_seq)
        self.traces.reopen(found, self.now, taken_seq=taken_seq)
        self.heard = dict.fromkeys(self.undone, self.now)
        self.new_since = dict(self.heard)
        self.chosen = {}

    @rule()
    def expire(self) -> None:
        self.traces.expire()

    @invariant()
    def index_is_bounded(self) -> None:
        assert len(self.traces) <= 2 * self.limit + 10

    @invariant()
    def what_is_undone_is_open_or_left(self) -> None:
        left_from = self.traces.left_from
        left = {one for one, seqs in self.undone.items() if left_from is not None and max(seqs) >= left_from}
        assert self.undone.keys() - left <= self.traces._open.keys()

    @invariant()
    def restart_would_find_what_is_undone(self) -> None:
        self.settled = max(self.settled, self.traces.settled_seq(self.last_seq))
        assert all(max(seqs) > self.settled for one, seqs in self.undone.items() if one not in self.waiting)
        assert self.undone or self.traces.left_from is not None or self.settled == self.last_seq

    def teardown(self) -> None:
        """Whatever happened: in the end each trace gets its turn."""
        for _ in range(20):
            self.now += 2 * IDLE_S
            self.take_up_what_was_left(takes_long=False, leaving=0)
            for trace_id in ids(self.traces, self.now):
                self.traces.close(trace_id, seen_seq=self.last_seq)
                self._done(trace_id, self.last_seq)
        assert (len(self.traces), self.undone) == (0, {})

    def _left(self, from_seq: int, limit: int, seen_seq: int) -> tuple[list[Unassembled], int]:
        """The traces that the store gives, oldest first and about `limit`, and up to which commit these are all."""
        found: list[Unassembled] = []
        for trace_id, seqs in self.undone.items():
            new = {seq for seq in seqs if seq > self.settled and seq >= from_seq}
            if from_seq == 0 and trace_id in self.waiting:
                found.append(Unassembled(trace_id, 0, max(seqs), is_waiting=True))
            elif new:
                found.append(Unassembled(trace_id, min(new), max(new)))
        found.sort(key=lambda one: one.first_seq)
        last_seq = found[: max(1, limit)][-1].first_seq if found else seen_seq
        page = [one for one in found if one.first_seq <= last_seq]
        return page, seen_seq if len(page) == len(found) else last_seq

    def _done(self, trace_id: str, seen_seq: int) -> None:
        self.waiting.discard(trace_id)
        self.undone[trace_id] = {seq for seq in self.undone[trace_id] if seq > seen_seq}
        if not self.undone[trace_id]:
            del self.undone[trace_id]


OpenTracesMachine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
test_any_course_of_events = OpenTracesMachine.TestCase
