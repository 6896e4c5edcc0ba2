"""Everything between an accepted request and a score, without sockets: what `serve` and `import` share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager
from threading import Event
from typing import TYPE_CHECKING

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.evaluation_pass import Summary
from tracegrade.queries.fence import Parameters
from tracegrade.queries.http.turns import Turns
from tracegrade.queries.result import Result, Stream

from ..assembling.assembler import Assembler
from ..assembling.open_traces import OpenTraces
from ..assembling.rebuild import StoredTraces
from ..config.settings import Settings
from ..evaluation.lane import Lane
from ..evaluation.lanes import Staff
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
from ..worker.client import Workbench
from ..worker.start import Started
from .commands import StoreCommands

if TYPE_CHECKING:
    from ..export.outbox import Outbox

__all__ = ["Pipeline"]


_QUERIES_AT_ONCE = 4


class Pipeline:
    """The parts, joined. For one event loop; what blocks runs in threads. The worker that assembles is `worker`, where
    there is one. DuckDB has `threads`, or as many as there are cores."""

    def __init__(self, settings: Settings, worker: Started | None = None, *, threads: int | None = None) -> None:
        location = locate(settings.store)
        self.database = _open_store(location, settings, threads)
        self.mark = mark_of(location.companion("key"), is_sending=settings.export.endpoint is not None)
        self.checkpoints = Checkpoints(self.database)
        self.caretaker = Caretaker(self.database, self.checkpoints)
        self._turns = Turns(_QUERIES_AT_ONCE)
        self.arrivals = Arrivals(self.database)
        self._annotators = settings.trust.annotators
        self.results = Results(self.database, annotators=self._annotators)
        self.workbench = Workbench(
            self.results.schemas,
            memory_bytes=worker_bytes(settings.evaluation.worker_memory),
            prices=settings.prices,
            begun=worker,
        )
        self.staff = Staff(settings, self.database, self.results, self.workbench, mark=self.mark)
        annotations = Annotations(self.results, has_outbox=settings.export.endpoint is not None)
        self.assembler = Assembler(self.database, self.results, self.workbench, _open_traces(settings))
        self.stored_traces = StoredTraces(self.database, self.results, self.assembler)
        self.commands = StoreCommands(
            annotations, lambda: self.staff.lanes, self.database, self.stored_traces, self.checkpoints
        )
        self.queue = IngestQueue(
            self.arrivals,
            queue_bytes=settings.ingest.queue_bytes,
            on_commit=self._committed,
            caretaker=self.caretaker,
            limits=settings.ingest.limits,
            mark=self.mark,
        )
        self.on_arrival: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Takes up where the last run of the program ended, and accepts."""
        with self.database.explain_errors():
            self.enrol()
        self.assembler.resume(self.arrivals.batch_seq)
        self.queue.start()

    def enrol(self) -> None:
        """Lets each evaluator begin that is new, or new in this form; its name is its own from then on."""
        self.staff.enrol()
        self.results.believe(self._annotators)

    def staff_of(self, settings: Settings) -> Staff:
        """Who would judge by these settings. Raises BadConfiguration; nothing has changed then."""
        return Staff(settings, self.database, self.results, self.workbench, mark=self.mark)

    async def change_staff(self, staff: Staff) -> None:
        """Lets `staff`, which is enrolled, judge from now on. Nobody may be judging."""
        former, self.staff = self.staff, staff
        await asyncio.to_thread(former.close)

    async def assemble(self) -> AsyncIterator[int]:
        """Rebuilds what is due, a round at a time; gives the number of revisions that each wrote."""
        while ripe := self.assembler.ripe():
            try:
                settle, written = await asyncio.to_thread(self.assembler.assemble, ripe, self.assembler.last_seq)
            except StoreUnavailable:
                self.assembler.put_back(ripe)
                raise
            settle()
            await asyncio.to_thread(self.results.settle, self.assembler.settled_seq())
            yield written

    async def rebuild_some(self) -> int:
        """Assembles some traces again where a rebuild is under way; gives the number of revisions written."""
        if not self.stored_traces.is_rebuilding:
            return 0
        settle, written = await asyncio.to_thread(self.stored_traces.step)
        settle()
        return written

    async def evaluate(self) -> Summary:
        """One pass of every lane, side by side."""
        done = await asyncio.gather(*(asyncio.to_thread(lane.evaluate) for lane in self.lanes))
        return Summary(
            targets=sum(one.targets for one in done),
            scores=sum(one.scores for one in done),
            is_full=any(one.is_full for one in done),
        )

    async def finish(self, *, evaluate: bool = True) -> None:
        """Assembles everything that is open as it is, and judges it."""
        self.assembler.expire()
        async for _ in self.assemble():
            pass
        in_steps = any(one.after for one in self.evaluators)
        while evaluate and ((done := await self.evaluate()).is_full or (in_steps and done.targets)):
            pass

    def read(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, max_rows: int, cancelled: Event
    ) -> Result:
        """What `sql` answers; fulfils `queries.http.sql.Reader`."""
        with self._turns.turn(cancelled):
            return self.database.readers.read(
                sql, parameters=parameters, timeout_s=timeout_s, max_rows=max_rows, cancelled=cancelled
            )

    def stream(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, cancelled: Event
    ) -> AbstractContextManager[Stream]:
        """All that `sql` answers; fulfils `queries.http.export.Streaming`."""
        return self.database.readers.stream(sql, parameters=parameters, timeout_s=timeout_s, cancelled=cancelled)

    async def close(self) -> None:
        """Commits what is queued and lets go of the file."""
        await self.queue.drain()
        await asyncio.to_thread(self.let_go)

    def let_go(self) -> None:
        """Ends the workers and lets go of the file, where nothing was accepted."""
        self.staff.close()
        self.workbench.close()
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
        return self.staff.evaluators

    @property
    def lanes(self) -> Sequence[Lane]:
        """In which they work."""
        return self.staff.lanes

    def kill(self) -> None:
        """Ends the workers now, in the middle of their jobs, and breaks off queries."""
        self.staff.kill()
        self.workbench.kill()
        self.database.readers.stop()
        self.database.interrupt()

    def _committed(self, arrived: Arrived) -> None:
        self.assembler.arrived(arrived)
        self.on_arrival()


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
