"""Everything between an accepted request and a score, without sockets: what `serve` and `import` share."""

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
from ..ingest.queue import Arrived, IngestQueue
from ..otlp.own_mark import mark_of
from ..store.arrivals.writer import Arrivals
from ..store.engines.database import Database
from ..store.engines.location import Location
from ..store.engines.selection import locate
from ..store.errors import StoreUnavailable
from ..store.maintenance.caretaker import Caretaker
from ..store.maintenance.checkpoints import Checkpoints
from ..store.results.annotations import Annotations
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
    """The parts, joined. For one event loop; what blocks runs in threads. The worker that assembles is `worker`, where
    there is one. DuckDB has `threads`, or as many as there are cores. Calls `on_lost`, in the thread of the arrivals,
    when the store can never be used again."""

    def __init__(
        self,
        settings: Settings,
        worker: Started | None = None,
        *,
        threads: int | None = None,
        on_lost: Callable[[StoreUnavailable], object] = lambda _: None,
    ) -> None:
        location = locate(settings.store)
        self.database = _open_store(location, settings, threads)
        self.mark = mark_of(location.companion("key"), is_sending=settings.export.endpoint is not None)
        self.checkpoints = Checkpoints(self.database)
        self.caretaker = Caretaker(self.database, self.checkpoints, on_lost=on_lost)
        self._turns = QueryTurns(_QUERIES_AT_ONCE)
        self.arrivals = Arrivals(self.database)
        self._annotators = settings.trust.annotators
        self.results = Results(self.database, annotators=self._annotators)
        self.workers = Workers(
            self.results.schemas,
            memory_bytes=worker_bytes(settings.evaluation.worker_memory),
            prices=settings.prices,
            begun=worker,
        )
        self.lanes = self.lanes_of(settings)
        self.scored = WakeEvent()
        self.annotations = Annotations(self.results, has_outbox=settings.export.endpoint is not None)
        self.assembler = Assembler(self.database, self.results, self.workers.assembly, _open_traces(settings))
        self.stored_traces = StoredTraces(self.database, self.results, self.assembler)
        self.assembly = AssemblyCycle(self.assembler, self.stored_traces, self.results, on_revisions=self._wake_lanes)
        self.queue = IngestQueue(
            self.arrivals,
            queue_bytes=settings.ingest.queue_bytes,
            on_commit=self._committed,
            caretaker=self.caretaker,
            limits=settings.ingest.limits,
            mark=self.mark,
        )

    def start(self) -> None:
        """Takes up where the last run of the program ended, and accepts."""
        with self.database.explain_errors():
            self.enrol()
        self.assembler.resume(self.arrivals.batch_seq)
        self.queue.start()

    def enrol(self) -> None:
        """Lets each evaluator begin that is new, or new in this form; its name is its own from then on."""
        self.lanes.enrol()
        self.results.believe(self._annotators)

    def lanes_of(self, settings: Settings) -> Lanes:
        """The evaluators of these settings. Raises BadConfiguration; nothing has changed then."""
        return Lanes(settings, self.database, self.results, self.workers, mark=self.mark)

    async def replace_lanes(self, lanes: Lanes) -> None:
        """Evaluates in `lanes`, which are enrolled, from now on. No pass may be under way."""
        former, self.lanes = self.lanes, lanes
        await asyncio.to_thread(former.close)

    async def evaluate(self) -> Summary:
        """One pass of every lane, side by side."""
        summaries = await asyncio.gather(*(asyncio.to_thread(lane.evaluate) for lane in self.lanes.all))
        return Summary(
            targets=sum(summary.targets for summary in summaries),
            scores=sum(summary.scores for summary in summaries),
            is_full=any(summary.is_full for summary in summaries),
        )

    async def finish(self, *, evaluate: bool = True) -> None:
        """Assembles everything that is open as it is, and evaluates it."""
        self.assembler.expire()
        async for _ in self.assembly.assemble_due():
            pass
        in_steps = any(one.after for one in self.evaluators)
        while evaluate and ((done := await self.evaluate()).is_full or (in_steps and done.targets)):
            pass

    def read(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, max_rows: int, cancelled: Event
    ) -> Result:
        """What `sql` answers; fulfils `queries.http.readers.Reader`."""
        with self._turns.turn(cancelled):
            return self.database.readers.read(
                sql, parameters=parameters, timeout_s=timeout_s, max_rows=max_rows, cancelled=cancelled
            )

    def stream(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, cancelled: Event
    ) -> AbstractContextManager[Stream]:
        """All that `sql` answers; fulfils `queries.http.readers.StreamReader`."""
        return self.database.readers.stream(sql, parameters=parameters, timeout_s=timeout_s, cancelled=cancelled)

    async def close(self) -> None:
        """Commits what is queued and lets go of the file."""
        await self.queue.drain()
        await asyncio.to_thread(self.let_go)

    def let_go(self) -> None:
        """Ends the workers and lets go of the file, where nothing was accepted."""
        self.lanes.close()
        self.workers.close()
        self.arrivals.close()
        self.results.close()
        self.database.close()

    def outbox(self, settings: Settings, version: str) -> Outbox | None:
        """The way out, when scores are to be sent on."""
        if settings.export.endpoint is None:
            return None
        from ..export.outbox import Outbox, Sender  # noqa: PLC0415 - the exporters cost a second and 40 MB, and few send on

        sender = Sender(settings.export.endpoint, spans=settings.export.spans, version=version, mark=self.mark)
        return Outbox(self.database, self.results, sender)

    @property
    def evaluators(self) -> Sequence[Configured]:
        """Those at work."""
        return self.lanes.evaluators

    def kill(self) -> None:
        """Ends the workers now, in the middle of their jobs, and breaks off queries."""
        self.lanes.kill()
        self.workers.kill()
        self.database.readers.stop()
        self.database.interrupt()

    def _wake_lanes(self) -> None:
        self.lanes.wake()  # of those that the pipeline has now

    def _committed(self, arrived: Arrived) -> None:
        self.assembler.arrived(arrived)
        self.assembly.woken.set()


def _open_store(location: Location, settings: Settings, threads: int | None) -> Database:
    """The store, if something can be written. Raises StoreUnavailable."""
    location.ensure_writable()
    database = location.open(
        memory_limit=settings.memory_limit,
        checkpoints_itself=False,
        threads=threads,
        query_bytes=query_bytes(settings.query_memory),
    )
    database.reinstall_definitions()
    return database


def _open_traces(settings: Settings) -> OpenTraces:
    return OpenTraces(
        grace_s=settings.assembly.grace.total_seconds(),
        idle_s=settings.assembly.idle.total_seconds(),
        limit=settings.assembly.max_open_traces,
    )
