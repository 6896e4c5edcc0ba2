"""A server under a clock that only the test moves: its loops' cycles, a real file, and death at chosen moments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from tracegrade.collector.assembling.assembler import Assembler
from tracegrade.collector.assembling.open_traces import OpenTraces
from tracegrade.collector.assembling.rebuild import StoredTraces
from tracegrade.collector.evaluation.lane import Lane
from tracegrade.collector.ingest.arrived import Arrived
from tracegrade.collector.otlp.decode import Row, decode_spans
from tracegrade.collector.server.loops.assembly import AssemblyCycle
from tracegrade.collector.server.loops.loop import Cycle
from tracegrade.collector.server.loops.passes import PassCycle
from tracegrade.collector.spans.span import Span
from tracegrade.collector.worker.client import Assembled
from tracegrade.collector.worker.serving import _Worker
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.pricing.price_table import LIST_PRICES
from tracegrade.queries.ports import Rebuild

from . import agent_spans
from .store import Clock, Store, opened

__all__ = ["Moment", "Simulation"]

_TICK_S = 0.001


class Moment(StrEnum):
    """When the program dies."""

    BEFORE_ASSEMBLY = "before assembly"
    BEFORE_SETTLING = "when runs are written and not yet settled"
    BEFORE_RECORDING = "when scores are found and not yet written"
    BEFORE_REBUILDING = "between two portions of a rebuild"


class Died(Exception):
    """The program ended in the middle of its work."""


class Simulation:
    """Exports come, time passes, the server's loops run a cycle when they are due, and the program starts again.

    `dies_at`: it dies at that moment, every third time that it gets there, and is started again at once.
    """

    def __init__(
        self, folder: Path, *evaluators: Configured, dies_at: Moment | None = None, limit: int = 1_000
    ) -> None:
        self.clock = Clock()
        self.evaluators = evaluators
        self._folder = folder
        self._dies_at = dies_at
        self._lives = 0
        self._limit = limit
        self._began = self.clock.now
        self._runner = asyncio.Runner()
        self._start()

    def export(self, spans: Iterable[Span]) -> None:
        """An export of spans is committed."""
        self.arrive(decode_spans(agent_spans.export_request(spans)).rows)

    def arrive(self, spans: Sequence[Row] = (), logs: Sequence[Row] = ()) -> None:
        """Decoded records are committed as one batch."""
        written = self.store.arrivals.write(spans, logs)
        self.assembler.arrived(Arrived.of(written.batch_seq, spans, logs))

    def wait(self, seconds: float) -> None:
        """Time passes. Whenever assembly is due it takes place, and a pass after it."""
        end = self.clock.now + timedelta(seconds=seconds)
        while (due_s := self.assembler.next_due_in_s()) is not None:
            if self.clock.now + timedelta(seconds=due_s) > end:
                break
            self.clock.pass_by(seconds=max(due_s, _TICK_S))
            self.work()
        self.clock.now = max(end, self.clock.now)

    def work(self) -> None:
        """Assembles what is due now, and evaluates where that has woken the passes."""
        try:
            self.assemble()
            if self._has_revisions:
                self.judge()
        except Died:
            self.restart()

    def assemble(self) -> None:
        """A cycle of assembly."""
        self._has_revisions = False
        self._run(self._assembly)

    def rebuild(self, since: datetime | None = None) -> None:
        """A rebuild, cycle by cycle until it has ended."""
        self.stored_traces.begin(Rebuild(since=since))
        while self.stored_traces.is_rebuilding:
            try:
                self.assemble()
            except Died:
                self.restart()

    def judge(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """A cycle of passes. `meanwhile` is what happens between the scores of a pass and their recording."""
        self._workbench.meanwhile = meanwhile
        self._run(self._passes)

    def set_clock_back(self, seconds: float) -> None:
        """Somebody sets the clock on the wall back; what is measured by the other goes on."""
        self.clock.pass_by(seconds=-seconds)
        self._began -= timedelta(seconds=seconds)

    def restart(self) -> None:
        """The program ends, wherever it is, and starts again, which begins with a pass."""
        self._parts.close()
        self._start()
        dies_at, self._dies_at = self._dies_at, None
        self.judge()
        self._dies_at = dies_at

    @contextmanager
    def dying(self, moment: Moment) -> Iterator[None]:
        """The program dies the first time that it gets to `moment`."""
        self._dies_at, self._lives = moment, 0
        yield
        self._dies_at = None

    def close(self) -> None:
        self._parts.close()
        self._runner.close()

    def active(self, columns: str = "evaluator, value") -> list[tuple[Any, ...]]:
        """These columns of the active scores."""
        return self.store.rows(f"select {columns} from latest_scores order by all")

    def runs(self, columns: str = "agent_span_id, completeness, tool_call_count") -> list[tuple[Any, ...]]:
        """These columns of the runs as they are known now."""
        return self.store.rows(f"select {columns} from agent_traces order by all")

    def _start(self) -> None:
        self._parts = ExitStack()
        self._has_revisions = False
        self.store = self._parts.enter_context(opened(self._folder, now=self.clock))
        self.open_traces = OpenTraces(grace_s=2, idle_s=60, limit=self._limit)
        self.assembler = Assembler(
            self.store.database,
            self.store.results,
            _AssemblyWorker(self.store, partial(self._reach, Moment.BEFORE_ASSEMBLY)),
            self.open_traces,
            clock=self._seconds,
        )
        self.stored_traces = _StoredTraces(self.store, self.assembler, partial(self._reach, Moment.BEFORE_REBUILDING))
        self._assembly = AssemblyCycle(
            self.assembler,
            self.stored_traces,
            cast("Any", _Settling(self.store, partial(self._reach, Moment.BEFORE_SETTLING))),
            on_revisions=self._note_revisions,
            prepare=lambda: None,
        )
        self._workbench = _Workbench(self.clock, partial(self._reach, Moment.BEFORE_RECORDING))
        lane = Lane(self.evaluators, self.store.ledger, self._workbench, now=self.clock)
        self._passes = PassCycle(lane, on_scores=lambda: None)
        self.store.ledger.enrol(self.evaluators)
        self.assembler.resume(self.store.arrivals.batch_seq)

    def _run(self, cycle: Cycle) -> None:
        """One cycle, as the server's loop runs it. May be called from within another one, too."""
        run = cycle.run(lambda: False)
        loop = self._runner.get_loop()
        if loop.is_running():
            asyncio.run_coroutine_threadsafe(run, loop).result()
        else:
            self._runner.run(run)

    def _note_revisions(self) -> None:
        self._has_revisions = True

    def _seconds(self) -> float:
        return (self.clock.now - self._began).total_seconds()

    def _reach(self, moment: Moment) -> None:
        if moment is not self._dies_at:
            return
        self._lives = (self._lives + 1) % 3
        if self._lives == 1:
            raise Died


class _Workbench(InProcessWorkbench):
    """Evaluators in this process, and what happens when they have answered."""

    def __init__(self, clock: Clock, reach_recording: Callable[[], None]) -> None:
        super().__init__(clock)
        self._reach_recording = reach_recording
        self.meanwhile: Callable[[], None] = lambda: None

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        scores = super().evaluate(targets, evaluators)
        self._reach_recording()
        self.meanwhile()
        return scores


class _AssemblyWorker:
    """Assembly as the worker does it, in this process."""

    def __init__(self, store: Store, reach_assembly: Callable[[], None]) -> None:
        self._worker: Any = _Worker(store.results.schemas, cast("Any", None), cast("Any", None))
        self._reach_assembly = reach_assembly

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        self._reach_assembly()
        return Assembled(
            self._worker._assemble({"spans": spans.to_pylist(), "logs": logs.to_pylist()}, LIST_PRICES), {}
        )


class _StoredTraces(StoredTraces):
    """Stored traces that are assembled again, until the program dies before a portion."""

    def __init__(self, store: Store, assembler: Assembler, reach_rebuilding: Callable[[], None]) -> None:
        super().__init__(store.database, store.results, assembler)
        self._reach_rebuilding = reach_rebuilding

    def step(self) -> tuple[Callable[[], None], int]:
        self._reach_rebuilding()
        return super().step()


class _Settling:
    """The part of `Results` that a cycle of assembly ends with."""

    def __init__(self, store: Store, reach_settling: Callable[[], None]) -> None:
        self._store = store
        self._reach_settling = reach_settling

    def settle(self, up_to_seq: int) -> None:
        self._reach_settling()
        self._store.results.settle(up_to_seq)
