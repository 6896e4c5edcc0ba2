"""What becomes of a trace over which every worker is killed: real workers, a real store, and a clock that is moved."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.support import agent_spans, otlp
from tests.support.command import inside
from tests.support.store import Clock, Store, opened

from tracegrade.collector.assembling.assembler import Assembler
from tracegrade.collector.assembling.open_traces import OpenTraces
from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.ingest.arrived import Arrived
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.system.memory_limit import worker_bytes
from tracegrade.collector.worker.client import Workbench

TRACE = otlp.trace_id(1)


class Life:
    """One run of the program, as far as assembly goes."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.clock = clock
        self.began = clock.now
        self.workbench = Workbench(store.results.schemas, memory_bytes=worker_bytes(None))
        open_traces = OpenTraces(grace_s=2, idle_s=60, limit=10)
        self.assembler = Assembler(store.database, store.results, self.workbench, open_traces, clock=self._elapsed_s)
        self.assembler.resume(store.arrivals.batch_seq)

    def arrive(self) -> None:
        written = self.store.arrive(agent_spans.trip(1))
        self.assembler.arrived(Arrived(written.batch_seq, {TRACE: 1_000}))

    def assemble(self) -> int:
        """Waits until something is due and assembles it, as the server does."""
        while not (due_traces := self.assembler.choose_due()) and (due_s := self.assembler.next_due_in_s()) is not None:
            self.clock.pass_by(seconds=due_s + 0.001)
        written = 0
        while due_traces:
            settle, count = self.assembler.assemble(due_traces, self.assembler.last_seq)
            settle()
            self.store.results.settle(self.assembler.settled_seq())
            written += count
            due_traces = self.assembler.choose_due()
        return written

    @contextmanager
    def workers_are_killed(self) -> Iterator[None]:
        """As the kernel does that has no memory left: each worker as soon as it is there."""
        over = threading.Event()

        def kill() -> None:
            while not over.wait(0.005):
                if (pid := self.workbench.pid) is not None:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        yield
        over.set()
        killer.join()

    def _elapsed_s(self) -> float:
        return (self.clock.now - self.began).total_seconds()


@contextmanager
def living(folder: Path, clock: Clock) -> Iterator[Life]:
    with opened(folder, now=clock) as store:
        life = Life(store, clock)
        try:
            yield life
        finally:
            life.workbench.close()


def runs(store: Store) -> list[object]:
    return [trace_id for (trace_id,) in store.rows("select trace_id from agent_traces")]


def is_done(life: Life) -> bool:
    """Whether this run of the program looks at nothing any more, however long it waits."""
    life.clock.pass_by(days=1)
    return life.assembler.choose_due() == []


def test_trace_over_which_every_worker_is_killed_stays_open_and_is_assembled_later(tmp_path: Path) -> None:
    with living(tmp_path, Clock()) as life:
        life.arrive()
        with life.workers_are_killed():
            assert life.assemble() == 0
        assert [trace_id for trace_id, *_ in life.store.unassembled()] == [TRACE]
        assert life.assemble() == 1
        assert runs(life.store) == [TRACE]
        assert life.store.unassembled() == []
        assert is_done(life)


def test_pause_before_the_next_try_grows_and_what_comes_meanwhile_is_in_it(tmp_path: Path) -> None:
    with living(tmp_path, Clock()) as life:
        life.arrive()
        pauses_s = []
        with life.workers_are_killed():
            for _ in range(3):
                life.assemble()
                pauses_s.append(life.store.one("select date_diff('second', failed_at, retry_at) from waiting_traces"))
        assert pauses_s == [10, 20, 40]
        written = life.store.arrive([agent_spans.tool(9, parent=1, at_s=1.5)])
        life.assembler.arrived(Arrived(written.batch_seq, {TRACE: 1_000}))
        assert life.assemble() == 1
        assert life.store.one("select tool_call_count from agent_traces") == 2


def test_trace_that_could_not_be_assembled_is_tried_again_at_each_start(tmp_path: Path) -> None:
    clock = Clock()
    for failures in (1, 2):
        with living(tmp_path, clock) as life:
            if failures == 1:
                life.arrive()
            with life.workers_are_killed():
                assert life.assembler.next_due_in_s() == pytest.approx(2)
                life.assemble()
            assert life.store.rows("select trace_id, failures from waiting_traces") == [(TRACE, failures)]
    with living(tmp_path, clock) as life:
        assert life.assemble() == 1
        assert life.store.rows("from waiting_traces") == []


def test_program_that_ends_after_its_input_leaves_the_trace_to_the_next_one(tmp_path: Path) -> None:
    clock = Clock()
    with living(tmp_path, clock) as life:
        life.arrive()
        life.assembler.expire()
        with life.workers_are_killed():
            assert life.assemble() == 0
        assert is_done(life)
    with living(tmp_path, clock) as life:
        assert life.assemble() == 1


def test_explain_doctor_and_audit_tell_of_a_trace_that_cannot_be_assembled(tmp_path: Path) -> None:
    with living(tmp_path, Clock()) as life:
        life.arrive()
        with life.workers_are_killed():
            life.assemble()
        audited = audit(LocalSource(life.store.database, max_rows=10, timeout_s=30).read, [])
        assert (audited.unassembled.traces, audited.unassembled.trace_ids) == (1, (TRACE,))
        path = life.store.database.path
    told = "its assembly failed once, the last time at 2026-01-01 12:00:02 UTC: the worker process was killed (SIGKILL)"
    again = "it is tried again at 2026-01-01 12:00:12 UTC and at each start"
    for command in ("explain", "doctor"):
        printed = " ".join(inside(command, TRACE, "--store", path, at=tmp_path).text.split())
        assert told.partition("its ")[2] in printed
        assert again in printed
    assert TRACE in inside("doctor", "--ledger", "--store", path, at=tmp_path).text
