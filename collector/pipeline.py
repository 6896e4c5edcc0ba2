"""Everything between an accepted request and a verdict, without sockets: what `serve` and `import` share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from threading import Event
from typing import TYPE_CHECKING

from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.schedule import Summary
from tracegrade.queries import fence
from tracegrade.queries.fence import Parameters
from tracegrade.queries.result import Result

from .assembler import Assembler
from .commands import StoreCommands
from .intake import Arrived, Intake
from .lane import Lane, is_ours
from .open_traces import OpenTraces
from .references import References
from .settings import BadConfiguration, Settings, configured
from .store.annotations import Annotations
from .store.arrivals import Arrivals
from .store.conditions import Conditions
from .store.database import Database, path_of
from .store.due import Waiting
from .store.expectations import Expectations
from .store.ledger import StoreLedger
from .store.results import Results
from .workbench import Workbench

if TYPE_CHECKING:
    from .outbox import Outbox

__all__ = ["Pipeline"]


class Pipeline:
    """The parts, joined. For one event loop; what blocks runs in threads."""

    def __init__(self, settings: Settings) -> None:
        self.evaluators: Sequence[Configured] = configured(settings.evaluators)
        self.database = Database(path_of(settings.store), memory_limit=settings.memory_limit)
        self.arrivals = Arrivals(self.database)
        self.results = Results(self.database)
        self.workbench = self._workbench(settings)
        expectations = Expectations(self.database, _references(settings))
        self._check(expectations)
        self.lanes = tuple(self._lanes(settings, expectations))
        annotations = Annotations(self.results, has_outbox=settings.export.endpoint is not None)
        self.commands = StoreCommands(annotations, self.lanes, self.database)
        self.assembler = Assembler(self.database, self.results, self.workbench, _open_traces(settings))
        self.intake = Intake(self.arrivals, queue_bytes=settings.intake.queue_bytes, on_commit=self._committed)
        self.on_arrival: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Takes up where the last run of the program ended, and accepts."""
        self.enrol()
        self.assembler.resume(self.arrivals.batch_seq)
        self.intake.start()

    def enrol(self) -> None:
        """Lets each evaluator begin that is new, or new in this form."""
        for lane in self.lanes:
            lane.ledger.enrol(lane.evaluators)

    async def assemble(self) -> int:
        """Rebuilds what is due; gives the number of revisions written."""
        written = 0
        while ripe := self.assembler.ripe():
            settle, count = await asyncio.to_thread(self.assembler.assemble, ripe, self.assembler.last_seq)
            settle()
            written += count
            await asyncio.to_thread(self.results.settle, self.assembler.settled_seq())
        return written

    async def evaluate(self) -> Summary:
        """One pass of every lane."""
        done = [await asyncio.to_thread(lane.evaluate) for lane in self.lanes]
        return Summary(
            targets=sum(one.targets for one in done),
            verdicts=sum(one.verdicts for one in done),
            is_full=any(one.is_full for one in done),
        )

    async def finish(self, *, evaluate: bool = True) -> None:
        """Assembles everything that is open as it is, and judges it."""
        self.assembler.expire()
        await self.assemble()
        while evaluate and (await self.evaluate()).is_full:
            pass

    def read(
        self, sql: str, *, parameters: Parameters | None, timeout_s: float, max_rows: int, cancelled: Event
    ) -> Result:
        """What `sql` answers; fulfils `queries.api.Reader`."""
        return fence.read(
            self.database.connect,
            sql,
            parameters=parameters,
            timeout_s=timeout_s,
            max_rows=max_rows,
            cancelled=cancelled,
        )

    async def close(self) -> None:
        """Commits what is queued and lets go of the file."""
        await self.intake.drain()
        await asyncio.to_thread(self.let_go)

    def let_go(self) -> None:
        """Ends the workers and lets go of the file, where nothing was accepted."""
        for workbench in self.workbenches:
            workbench.close()
        self.arrivals.close()
        self.results.close()
        self.database.close()

    def outbox(self, settings: Settings, version: str) -> Outbox | None:
        """The way out, when verdicts are to be sent on."""
        if settings.export.endpoint is None:
            return None
        from .outbox import Outbox, Sender  # noqa: PLC0415 - the exporters cost a second and 40 MB, and few send on

        sender = Sender(settings.export.endpoint, spans=settings.export.spans, version=version)
        return Outbox(self.database, self.results, sender)

    @property
    def workbenches(self) -> list[Workbench]:
        return list({id(one): one for one in (self.workbench, *(lane.workbench for lane in self.lanes))}.values())

    def _lanes(self, settings: Settings, expectations: Expectations) -> Iterator[Lane]:
        """Our evaluators, and those of others in a worker of their own."""
        ours = [one for one in self.evaluators if is_ours(one)]
        others = [one for one in self.evaluators if not is_ours(one)]
        for evaluators, workbench in ((ours, self.workbench), (others, self._workbench(settings))):
            if evaluators or workbench is self.workbench:
                yield Lane(evaluators, self._ledger(settings, expectations), workbench, now=_now)

    def _workbench(self, settings: Settings) -> Workbench:
        return Workbench(self.results.schemas, memory_bytes=settings.pass_.worker_memory)

    def _ledger(self, settings: Settings, expectations: Expectations) -> StoreLedger:
        waiting = Waiting(
            self.database,
            expectations,
            judge_settle=settings.assembly.judge_settle,
            session_idle=settings.pass_.session_idle,
            now=_now,
        )
        return StoreLedger(self.database, self.results, waiting, has_outbox=settings.export.endpoint is not None)

    def _check(self, expectations: Expectations) -> None:
        """Raises BadConfiguration when a condition cannot be used."""
        expectations.check()
        conditions = Conditions(self.database)
        for evaluator in self.evaluators:
            if evaluator.when is None:
                continue
            if evaluator.scope in {"session", "tool"}:
                raise BadConfiguration(
                    f"evaluators: {evaluator.name!r} judges each {evaluator.scope}; `when` selects runs; leave it out"
                )
            try:
                conditions.check(evaluator.when)
            except fence.SqlError as error:
                raise BadConfiguration(
                    f"evaluators: the `when` of {evaluator.name!r} cannot be used: {error}"
                ) from error

    def _committed(self, arrived: Arrived) -> None:
        self.assembler.arrived(arrived)
        self.on_arrival()


def _references(settings: Settings) -> References:
    return References() if settings.references is None else References.read(settings.references)


def _open_traces(settings: Settings) -> OpenTraces:
    return OpenTraces(
        grace_s=settings.assembly.grace.total_seconds(),
        idle_s=settings.assembly.idle.total_seconds(),
        limit=settings.assembly.max_open_traces,
    )


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
