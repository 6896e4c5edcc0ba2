"""Keeps the runs of an experiment in a store while it goes on: in the background, several in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from tracegrade.queries.ports import ExperimentRuns, RecordedRun

from .store import Body, ExperimentStore

__all__ = ["Keeper", "Kept", "keeping"]

_MOST_WAITING: Final = 256
"""The runs that may wait to be stored, before the experiment waits for the store."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A run with its scores, and the export requests with its spans."""

    run: RecordedRun
    bodies: Sequence[Body] = ()


class Keeper:
    """Stores what it is given, in order: first the spans, then the run, so that no run is recorded without its spans.

    `keep` and `finish` raise what the store raises; then nothing further is stored.
    """

    def __init__(self, store: ExperimentStore, experiment_id: str) -> None:
        self._store = store
        self._experiment_id = experiment_id
        self._waiting: asyncio.Queue[Kept | None] = asyncio.Queue(_MOST_WAITING)
        self._work = asyncio.create_task(self._store_waiting())

    async def keep(self, kept: Kept) -> None:
        """Queue a run; wait if the store is far behind."""
        await self._put(kept)

    async def finish(self) -> None:
        """Return once everything is stored."""
        await self._put(None)
        await self._work

    async def stop(self) -> None:
        """Store nothing further."""
        self._work.cancel()
        await asyncio.wait({self._work})

    async def _put(self, kept: Kept | None) -> None:
        putting = asyncio.ensure_future(self._waiting.put(kept))
        await asyncio.wait({putting, self._work}, return_when=asyncio.FIRST_COMPLETED)
        if not putting.done():
            putting.cancel()
        if self._work.done():
            self._work.result()

    async def _store_waiting(self) -> None:
        is_open = True
        while is_open:
            batch = [await self._waiting.get()]
            while not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            is_open = None not in batch
            await self._store_batch([kept for kept in batch if kept is not None])

    async def _store_batch(self, batch: Sequence[Kept]) -> None:
        if not batch:
            return
        await self._store.add_spans([body for kept in batch for body in kept.bodies])
        runs = tuple(kept.run for kept in batch)
        await self._store.record(ExperimentRuns(experiment_id=self._experiment_id, runs=runs))


@asynccontextmanager
async def keeping(store: ExperimentStore, experiment_id: str) -> AsyncIterator[Keeper]:
    """Yield a keeper; at the end everything is stored, unless an error ends the context."""
    keeper = Keeper(store, experiment_id)
    try:
        yield keeper
        await keeper.finish()
    finally:
        await keeper.stop()
