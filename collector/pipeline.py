"""Everything between an accepted request and a verdict, without sockets: what `serve` and `import` share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import Event
from typing import TYPE_CHECKING

from tracegrade.evaluators.registry import Configured
from tracegrade.evaluators.schedule import Summary, run_pass
from tracegrade.queries import fence
from tracegrade.queries.fence import Parameters
from tracegrade.queries.result import Result

from .assembler import Assembler
from .intake import Arrived, Intake
from .open_traces import OpenTraces
from .references import References
from .settings import Settings, configured
from .store.arrivals import Arrivals
from .store.database import Database, path_of
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
        self.workbench = Workbench(self.results.schemas)
        expectations = Expectations(self.database, _references(settings))
        expectations.check()
        self.ledger = StoreLedger(
            self.database, self.results, has_outbox=settings.export.endpoint is not None, expectations=expectations
        )
        self.assembler = Assembler(self.database, self.results, self.workbench, _open_traces(settings))
        self.intake = Intake(self.arrivals, queue_bytes=settings.intake.queue_bytes, on_commit=self._committed)
        self.on_arrival: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Takes up where the last run of the program ended, and accepts."""
        self.ledger.enrol(self.evaluators)
        self.assembler.resume(self.arrivals.batch_seq)
        self.intake.start()

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
        """One pass."""
        return await asyncio.to_thread(run_pass, self.ledger, self.workbench, self.evaluators, now=_now)

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
        await asyncio.to_thread(self.workbench.close)
        self.arrivals.close()
        self.results.close()
        await asyncio.to_thread(self.database.close)

    def outbox(self, settings: Settings, version: str) -> Outbox | None:
        """The way out, when verdicts are to be sent on."""
        if settings.export.endpoint is None:
            return None
        from .outbox import Outbox, Sender  # noqa: PLC0415 - the exporters cost a second and 40 MB, and few send on

        sender = Sender(settings.export.endpoint, spans=settings.export.spans, version=version)
        return Outbox(self.database, self.results, sender)

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
