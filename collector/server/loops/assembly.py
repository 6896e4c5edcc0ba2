"""The cycle of assembly: the traces that are due, then a portion of a rebuild."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from ...assembling.assembler import Assembler
from ...assembling.rebuild import StoredTraces
from ...store.errors import StoreUnavailable
from ...store.results.writer import Results
from ...system.wake_event import WakeEvent

__all__ = ["AssemblyCycle"]


class AssemblyCycle:
    """Assembles traces. Woken by arrivals and by the command that begins a rebuild.

    Calls `on_revisions` after each round that has written revisions of runs, and `prepare` while it waits for a trace.
    """

    def __init__(
        self,
        assembler: Assembler,
        stored_traces: StoredTraces,
        results: Results,
        *,
        on_revisions: Callable[[], object],
        prepare: Callable[[], object],
    ) -> None:
        self.woken = WakeEvent()
        self._assembler = assembler
        self._stored_traces = stored_traces
        self._results = results
        self._on_revisions = on_revisions
        self._prepare = prepare

    async def next_in_s(self) -> float | None:
        if self._stored_traces.is_rebuilding:
            return 0.0
        due_in_s = self._assembler.next_due_in_s()
        if due_in_s is not None:
            await asyncio.to_thread(self._prepare)
            due_in_s = self._assembler.next_due_in_s()
        return due_in_s

    async def run(self, is_stopping: Callable[[], bool]) -> bool:
        """Assemble the traces that are due, then one portion of a rebuild that is under way."""
        async for _ in self.assemble_due():
            if is_stopping():
                return True
        await self._rebuild_portion()
        return True

    async def assemble_due(self) -> AsyncIterator[int]:
        """Assemble the traces that are due, in rounds; yield the number of revisions that each round wrote."""
        while due_traces := self._assembler.choose_due():
            try:
                settle, written = await asyncio.to_thread(
                    self._assembler.assemble, due_traces, self._assembler.last_seq
                )
            except StoreUnavailable:
                self._assembler.put_back(due_traces)
                raise
            settle()
            await asyncio.to_thread(self._results.settle, self._assembler.settled_seq())
            self._tell(written)
            yield written

    async def _rebuild_portion(self) -> None:
        if not self._stored_traces.is_rebuilding:
            return
        settle, written = await asyncio.to_thread(self._stored_traces.step)
        settle()
        self._tell(written)

    def _tell(self, written: int) -> None:
        if written:
            self._on_revisions()
