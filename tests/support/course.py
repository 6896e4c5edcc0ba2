"""A server's life under a clock that only the test moves: one thread, a real file, and death at chosen moments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from tracegrade.collector.assembling.assembler import Assembler
from tracegrade.collector.assembling.open_traces import OpenTraces
from tracegrade.collector.assembling.rebuild import StoredTraces
from tracegrade.collector.ingest.queue import Arrived, _services, _trace_bytes
from tracegrade.collector.otlp.decode import Row, decode_spans
from tracegrade.collector.spans.span import Span
from tracegrade.collector.worker.client import Assembled, Workbench
from tracegrade.collector.worker.serving import _Worker
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.execution.run import Here
from tracegrade.evaluators.passes.evaluation_pass import run_pass
from tracegrade.evaluators.pricing.price_table import LIST_PRICES
from tracegrade.queries.ports import Rebuild

from . import tale
from .store import Clock, Store, opened

__all__ = ["Course", "Moment"]

_TICK_S = 0.001


class Moment(StrEnum):
    """When the program dies."""

    BEFORE_ASSEMBLY = "before assembly"
    BEFORE_SETTLING = "when runs are written and not yet settled"
    BEFORE_RECORDING = "when scores are found and not yet written"
    BEFORE_REBUILDING = "between two portions of a rebuild"


class Died(Exception):
    """The program ended in the middle of its work."""


class Course:
    """Exports come, time passes, runs are assembled and judged as the server would, and the program starts again.

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
        self._start()

    def export(self, spans: Iterable[Span]) -> None:
        """An export of spans is committed."""
        self.arrive(decode_spans(tale.request(spans)).rows)

    def arrive(self, spans: Sequence[Row] = (), logs: Sequence[Row] = ()) -> None:
        """Decoded records are committed as one batch."""
        written = self.store.arrivals.write(spans, logs)
        self.assembler.arrived(Arrived(written.batch_seq, _trace_bytes(spans, logs), _services(spans, logs)))

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
        """Assembles what is due now, and judges it."""
        try:
            if self.assemble():
                self.judge()
        except Died:
            self.restart()

    def assemble(self) -> int:
        """A round of assembly; gives how many revisions it wrote."""
        written = 0
        while ripe := self.assembler.ripe():
            self._reached(Moment.BEFORE_ASSEMBLY)
            settle, count = self.assembler.assemble(ripe, self.assembler.last_seq)
            self._reached(Moment.BEFORE_SETTLING)
            settle()
            self.store.results.settle(self.assembler.settled_seq())
            written += count
        return written

    def rebuild(self, since: datetime | None = None) -> None:
        """A rebuild, until it has ended."""
        self.stored_traces.begin(Rebuild(since=since))
        while self.stored_traces.is_rebuilding:
            try:
                self._reached(Moment.BEFORE_REBUILDING)
                settle, _ = self.stored_traces.step()
                settle()
            except Died:
                self.restart()

    def judge(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """A pass. `meanwhile` is what happens between its scores and their recording."""

        def answered() -> None:
            self._reached(Moment.BEFORE_RECORDING)
            meanwhile()

        judges = _Judges(self.clock, answered)
        while run_pass(self.store.ledger, judges, self.evaluators, now=self.clock).is_full:
            pass

    def set_clock_back(self, seconds: float) -> None:
        """Somebody sets the clock on the wall back; what is measured by the other goes on."""
        self.clock.pass_by(seconds=-seconds)
        self._began -= timedelta(seconds=seconds)

    def restart(self) -> None:
        """The program ends, wherever it is, and starts again, which begins with a pass."""
        self.close()
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

    def active(self, columns: str = "evaluator, value") -> list[tuple[Any, ...]]:
        """These columns of the active scores."""
        return self.store.rows(f"select {columns} from latest_scores order by all")

    def runs(self, columns: str = "agent_span_id, completeness, tool_call_count") -> list[tuple[Any, ...]]:
        """These columns of the runs as they are known now."""
        return self.store.rows(f"select {columns} from agent_traces order by all")

    def _start(self) -> None:
        self._parts = ExitStack()
        self.store = self._parts.enter_context(opened(self._folder, now=self.clock))
        self.open_traces = OpenTraces(grace_s=2, idle_s=60, limit=self._limit)
        self.assembler = Assembler(
            self.store.database,
            self.store.results,
            _Rebuilds(self.store),
            self.open_traces,
            clock=self._seconds,
        )
        self.stored_traces = StoredTraces(self.store.database, self.store.results, self.assembler)
        self.store.ledger.enrol(self.evaluators)
        self.assembler.resume(self.store.arrivals.batch_seq)

    def _seconds(self) -> float:
        return (self.clock.now - self._began).total_seconds()

    def _reached(self, moment: Moment) -> None:
        if moment is not self._dies_at:
            return
        self._lives = (self._lives + 1) % 3
        if self._lives == 1:
            raise Died


class _Judges(Here):
    """Evaluators in this process, and what happens when they have answered."""

    def __init__(self, clock: Clock, then: Callable[[], object]) -> None:
        super().__init__(clock)
        self._then = then

    def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
        found = super().evaluate(targets, evaluators)
        self._then()
        return found


class _Rebuilds(Workbench):
    """Assembly as the worker does it, in this process."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.results.schemas)
        self._worker: Any = _Worker(store.results.schemas, cast("Any", None), cast("Any", None))

    def assemble(self, spans: pa.Table, logs: pa.Table) -> Assembled:
        return Assembled(
            self._worker._assemble({"spans": spans.to_pylist(), "logs": logs.to_pylist()}, LIST_PRICES), {}
        )
