"""The loops of a server: a failure in one cycle ends none of the others, and each loop wakes the next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tracegrade.collector.server.loops import loop
from tracegrade.collector.server.loops.assembly import AssemblyCycle
from tracegrade.collector.server.loops.hours import HoursCycle
from tracegrade.collector.server.loops.passes import PassLoops
from tracegrade.collector.store.errors import StoreUnavailable
from tracegrade.collector.system.wake_event import WakeEvent
from tracegrade.evaluators.passes.run_pass import Summary


class Lane:
    """Fails once, and then has nothing to do, ever."""

    def __init__(self, *, fails_at: str = "") -> None:
        self.evaluated = asyncio.Event()
        self.woken = WakeEvent()
        self.passes = 0
        self._fails_at = fails_at
        self._loop = asyncio.get_running_loop()

    def next_in_s(self) -> float | None:
        self._fail("next_in_s")
        return None

    def evaluate(self) -> Summary:
        self._fail("evaluate")
        self.passes += 1
        self._loop.call_soon_threadsafe(self.evaluated.set)
        return Summary()

    def _fail(self, where: str) -> None:
        if self._fails_at == where:
            self._fails_at = ""
            raise OSError("the disk is full")


class Assembler:
    """Has so many rounds of traces that are due; each writes a revision."""

    def __init__(self, *, rounds: int, fails: Exception | None = None) -> None:
        self.last_seq = 0
        self.events: list[str] = []
        self._left = rounds
        self._failure = fails

    def choose_due(self) -> list[str]:
        return ["trace"] if self._left else []

    def assemble(self, due_traces: list[str], seen_seq: int) -> tuple[Callable[[], None], int]:
        if self._failure is not None:
            raise self._failure
        self._left -= 1
        return lambda: self.events.append("settled"), len(due_traces) + seen_seq

    def settled_seq(self) -> int:
        return 0


def running_in(*lanes: Lane) -> PassLoops:
    def wake() -> None:
        for lane in lanes:
            lane.woken.set()

    group: Any = SimpleNamespace(all=lanes, finish=lambda: None, wake=wake)
    return PassLoops(group, every_s=0.01, on_scores=lambda: None)


def assembling(assembler: Any) -> AssemblyCycle:
    settled: Any = SimpleNamespace(settle=lambda _: None)
    stored_traces: Any = SimpleNamespace(is_rebuilding=False)
    return AssemblyCycle(
        assembler,
        stored_traces,
        settled,
        on_revisions=lambda: assembler.events.append("passes woken"),
        prepare=lambda: assembler.events.append("worker started"),
    )


@pytest.mark.parametrize("fails_at", ["next_in_s", "evaluate"])
def test_cycle_that_failed_is_repeated_though_nothing_arrives(monkeypatch: pytest.MonkeyPatch, fails_at: str) -> None:
    monkeypatch.setattr(loop, "_RETRY_S", 0.01)

    async def run() -> None:
        lane = Lane(fails_at=fails_at)
        passes = running_in(lane)
        await asyncio.wait_for(lane.evaluated.wait(), 10)
        await passes.stop((10, lambda: None))

    asyncio.run(run())


def test_lane_that_is_woken_evaluates_again_and_no_other_does() -> None:
    async def run() -> tuple[int, int]:
        woken, other = Lane(), Lane()
        passes = running_in(woken, other)
        for lane in (woken, other):
            await asyncio.wait_for(lane.evaluated.wait(), 10)
            lane.evaluated.clear()
        woken.woken.set()
        await asyncio.wait_for(woken.evaluated.wait(), 10)
        counts = woken.passes, other.passes
        await passes.stop((10, lambda: None))
        return counts

    assert asyncio.run(run()) == (2, 1)


def test_passes_are_woken_after_each_round_of_assembly_and_not_only_after_the_last() -> None:
    assembler = Assembler(rounds=3)
    assert asyncio.run(assembling(assembler).run(lambda: False))
    assert assembler.events == ["settled", "passes woken"] * 3


@pytest.mark.parametrize(("due_in_s", "events"), [(2.0, ["worker started"]), (None, [])])
def test_worker_starts_while_a_trace_waits(due_in_s: float | None, events: list[str]) -> None:
    assembler: Any = Assembler(rounds=0)
    assembler.next_due_in_s = lambda: due_in_s
    assert asyncio.run(assembling(assembler).next_in_s()) == due_in_s
    assert assembler.events == events


@pytest.mark.parametrize(("lasts_s", "pause_s"), [(1.0, 4.0), (9.0, 0.0)])
def test_passes_begin_at_equal_distances(monkeypatch: pytest.MonkeyPatch, lasts_s: float, pause_s: float) -> None:
    at_s, pauses = 100.0, []

    class Pass:
        woken = WakeEvent()

        async def next_in_s(self) -> float:
            return 0.0

        async def run(self, _: object) -> bool:
            nonlocal at_s
            at_s += lasts_s
            return True

    async def pause(self: loop.Loop, seconds: float) -> None:
        pauses.append(seconds)
        self.stop()

    monkeypatch.setattr(loop, "monotonic", lambda: at_s)
    monkeypatch.setattr(loop.Loop, "_pause", pause)
    asyncio.run(loop.Loop("pass", Pass(), every_s=5.0).run())
    assert pauses == [pause_s]


def test_assembly_that_is_stopped_ends_after_the_round_that_is_under_way() -> None:
    assembler = Assembler(rounds=3)
    assert asyncio.run(assembling(assembler).run(lambda: True))
    assert assembler.events == ["settled", "passes woken"]


def test_traces_are_due_again_at_once_when_the_store_was_not_there() -> None:
    assembler: Any = Assembler(rounds=1, fails=StoreUnavailable("it is opened again"))
    assembler.put_back = assembler.events.extend
    with pytest.raises(StoreUnavailable):
        asyncio.run(assembling(assembler).run(lambda: False))
    assert assembler.events == ["trace"]


def test_changed_hours_are_renewed_one_stretch_after_the_other() -> None:
    left = [True, True, False]
    hours: Any = SimpleNamespace(renew=lambda: left.pop(0))

    async def run() -> None:
        cycle = HoursCycle(hours)
        assert await cycle.next_in_s() == 0.5
        await cycle.run(lambda: False)
        assert await cycle.next_in_s() == 0.5
        await cycle.run(lambda: False)
        await cycle.run(lambda: False)
        assert await cycle.next_in_s() == 5.0

    asyncio.run(run())
    assert left == []
