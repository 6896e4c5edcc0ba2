"""All parts between an accepted request and a score, without sockets: shared by `serve` and `import`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from threading import Event
from typing import TYPE_CHECKING

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.run_pass import Summary
from tracegrade.queries.fence import Parameters
from tracegrade.queries.http.turns import QueryTurns
from tracegrade.queries.result import Result, Stream

from ..assembling.assembler import Assembler
from ..assembling.open_traces import OpenTraces
from ..assembling.rebuild import StoredTraces
from ..config.settings import Settings
from ..evaluation.lanes import Lanes
from ..ingest.arrived import Arrived
from ..ingest.queue import IngestQueue
from ..otlp.own_mark import mark_of
from ..store.arrivals.writer import Arrivals
from ..store.engines.database import Database
from ..store.engines.location import Location, QuackListener
from ..store.engines.selection import locate
from ..store.errors import StoreUnavailable
from ..store.experiments.datasets import Datasets
from ..store.experiments.experiments import Experiments
from ..store.maintenance.caretaker import Caretaker
from ..store.maintenance.checkpoints import Checkpoints
from ..store.results.annotations import Annotations
from ..store.results.hours import Hours
from ..store.results.writer import Results
from ..system.memory_limit import query_bytes, worker_bytes
from ..system.wake_event import WakeEvent
from ..worker.start import Started
from ..worker.workers import Workers
from .loops.assembly import AssemblyCycle

if TYPE_CHECKING:
    from ..export.outbox import Outbox

__all__ = ["Pipeline"]


_QUERIES_AT_ONCE = 4


class Pipeline:
    """The connected parts, for one event loop; blocking work runs in threads.

    `worker` is a worker that was started before; it assembles. DuckDB uses `threads`, by default one per core. The
    database can answer clients at `quack`. `on_lost` is called if the store can never be used again, in the thread of
    the arrivals.
    """

    def __init__(
        self,
        settings: Settings,
        worker: Started | None = None,
        *,
        threads: int | None = None,
        quack: QuackListener | None = None,
        on_lost: Callable[[StoreUnavailable], object] = lambda _: None,
    ) -> None:
        location = locate(settings.store)
        self.database = _open_store(location, settings, threads, quack)
        self.mark = mark_of(location.companion("key"), is_sending=settings.export.endpoint is not None)
        self.checkpoints = Checkpoints(self.database)
        self.caretaker = Caretaker(self.database, self.checkpoints, on_lost=on_lost)
        self._turns = QueryTurns(_QUERIES_AT_ONCE)
        self.arrivals = Arrivals(self.database)
        self._annotators = settings.trust.annotators
        self.results = Results(self.database, annotators=self._annotators)
        self.hours = Hours(self.database, self.results)
        self.workers = Workers(
            self.results.schemas,
            memory_bytes=worker_bytes(settings.evaluation.worker_memory),
            prices=settings.prices,
            begun=worker,
        )
        self.lanes = self.lanes_of(settings)
        self.scored = WakeEvent()
        self.annotations = Annotations(self.results, has_outbox=settings.export.endpoint is not None)
        self.datasets = Datasets(self.results)
        self.experiments = Experiments(self.results)
        self.assembler = Assembler(self.database, self.results, self.workers.assembly, _open_traces(settings))
        self.stored_traces = StoredTraces(self.database, self.results, self.assembler)
        self.assembly = AssemblyCycle(
            self.assembler,
            self.stored_traces,
            self.results,
            on_revisions=self._wake_lanes,
            prepare=self.workers.assembly.prepare,
        )
        self.queue = IngestQueue(
            self.arrivals,
            queue_bytes=settings.ingest.queue_bytes,
            on_commit=self._committed,
            caretaker=self.caretaker,
            limits=settings.ingest.limits,
            mark=self.mark,
        )

    def start(self, *, enrols: bool = True) -> None:
        """Continue where the last process ended, and accept requests. Evaluators that are not enrolled do not run."""
        if enrols:
            with self.database.explain_errors():
                self.enrol()
        self.assembler.resume(self.arrivals.batch_seq)
        self.queue.start()

    def enrol(self) -> None:
        """Enrol each evaluator that is new, or new in this form, and apply the trust in annotators."""
        self.lanes.enrol()
        self.results.believe(self._annotators)

    def lanes_of(self, settings: Settings) -> Lanes:
        """Build the lanes for the evaluators of these settings. Raises BadConfiguration without changing anything."""
        return Lanes(settings, self.database, self.results, self.workers, mark=self.mark)

    async def replace_lanes(self, lanes: Lanes) -> None:
        """Replace the lanes by `lanes`, which are enrolled. No pass may be under way."""
        former, self.lanes = self.lanes, lanes
        await asyncio.to_thread(former.close)

    async def evaluate(self) -> Summary:
        """Run one pass of every lane, concurrently."""
        summaries = await asyncio.gather(*(asyncio.to_thread(lane.evaluate) for lane in self.lanes.all))
        return Summary(
            targets=sum(summary.targets for summary in summaries),
            scores=sum(summary.scores for summary in summaries),
            is_full=any(summary.is_full for summary in summaries),
        )

    async def finish(self, *, evaluate: bool = True) -> None:
        """Assemble all open traces as they are, with `evaluate` evaluate them, and count the hours that are over."""
        self.assembler.expire()
        async for _ in self.assembly.assemble_due():
            pass
        # DuckDB holds in memory what is only in the log, and reads much of it again now.
        await asyncio.to_thread(self.checkpoints.attend, is_idle=True)
        in_steps = any(one.after for one in self.evaluators)
        while evaluate and ((done := await self.evaluate()).is_full or (in_steps and done.targets)):
            pass
        await asyncio.to_thread(self.hours.renew_all)

    def read(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, max_rows: int, cancelled: Event
    ) -> Result:
        """Return the answer to `sql`. Implements `queries.http.readers.Reader`."""
        with self._turns.turn(cancelled):
            return self.database.readers.read(
                sql, parameters=parameters, timeout_s=timeout_s, max_rows=max_rows, cancelled=cancelled
            )

    def stream(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, cancelled: Event
    ) -> AbstractContextManager[Stream]:
        """Return the complete answer to `sql` as a stream. Implements `queries.http.readers.StreamReader`."""
        return self.database.readers.stream(sql, parameters=parameters, timeout_s=timeout_s, cancelled=cancelled)

    async def close(self) -> None:
        """Commit the queued requests and close the store."""
        await self.queue.drain()
        await asyncio.to_thread(self.let_go)

    def let_go(self) -> None:
        """End the workers and close the store, if no request was accepted."""
        self.lanes.close()
        self.workers.close()
        self.arrivals.close()
        self.results.close()
        self.database.close()

    def outbox(self, settings: Settings, version: str) -> Outbox | None:
        """Build the outbox; None if scores are not exported."""
        if settings.export.endpoint is None:
            return None
        from ..export.outbox import Outbox, Sender  # noqa: PLC0415 - takes a second and 40 MB, and few need it

        sender = Sender(settings.export.endpoint, spans=settings.export.spans, version=version, mark=self.mark)
        return Outbox(self.database, self.results, sender)

    @property
    def evaluators(self) -> Sequence[Configured]:
        """The evaluators of the present lanes."""
        return self.lanes.evaluators

    def kill(self) -> None:
        """End the workers at once, in the middle of their jobs, and interrupt queries."""
        self.lanes.kill()
        self.workers.kill()
        self.interrupt_queries()

    def interrupt_queries(self) -> None:
        """Interrupt all queries that run, in processes of their own and in this one."""
        self.database.readers.stop()
        self.database.interrupt()

    def _wake_lanes(self) -> None:
        self.lanes.wake()  # read when called: lanes may be replaced

    def _committed(self, arrived: Arrived) -> None:
        self.assembler.arrived(arrived)
        self.assembly.woken.set()


def _open_store(location: Location, settings: Settings, threads: int | None, quack: QuackListener | None) -> Database:
    """Open the store. Raises StoreUnavailable, also if it cannot be written."""
    location.ensure_writable()
    database = location.open(
        memory_limit=settings.memory_limit,
        checkpoints_itself=False,
        threads=threads,
        query_bytes=query_bytes(settings.query_memory),
        quack=quack,
    )
    database.reinstall_definitions()
    return database


def _open_traces(settings: Settings) -> OpenTraces:
    return OpenTraces(
        grace_s=settings.assembly.grace.total_seconds(),
        idle_s=settings.assembly.idle.total_seconds(),
        limit=settings.assembly.max_open_traces,
    )
