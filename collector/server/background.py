"""The background work of the server: assembly, evaluation passes, outbox and hours, and their stop and reload."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from ..config.settings import Settings
from ..version import version
from .loops.hours import HoursCycle
from .loops.loop import Loop
from .loops.outbox import OutboxCycle
from .loops.passes import PassLoops
from .pipeline import Pipeline

__all__ = ["Background", "running_in_background"]

_PATIENCE_S: Final = 5.0
_PAID_CALLS_S: Final = 25.0
"""The time that a reload waits for answers of judges that are under way, since they have been paid for."""

_BETWEEN_ROUNDS_S: Final = 0.05


@contextlib.asynccontextmanager
async def running_in_background(pipeline: Pipeline, settings: Settings) -> AsyncIterator[Background]:
    """Run the loops until the context is left. They end between two steps; a step that lasts is interrupted."""
    background = Background(pipeline, settings)
    background.start()
    try:
        yield background
    finally:
        await background.stop()


class Background:
    """The loops, which wake each other: arrivals wake assembly, assembly wakes the passes, these the outbox.

    The loop of the hours looks by itself every few seconds.
    """

    def __init__(self, pipeline: Pipeline, settings: Settings) -> None:
        self._pipeline = pipeline
        self._outbox = pipeline.outbox(settings, version())
        self._loops = [
            Loop("assembly", pipeline.assembly, pause_s=_BETWEEN_ROUNDS_S),
            Loop("hours", HoursCycle(pipeline.hours)),
        ]
        if self._outbox is not None:
            self._loops.append(Loop("outbox", OutboxCycle(self._outbox, pipeline.scored)))
        self._every_s = settings.evaluation.every.total_seconds()
        self._passes: PassLoops | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._is_stopping = False

    def start(self) -> None:
        """Start each loop with a cycle, for work that a previous process has left."""
        self._pipeline.scored.set()
        self._tasks = [asyncio.create_task(loop.run()) for loop in self._loops]
        self._start_passes()

    async def stop(self) -> None:
        """Stop every loop, and return when all have ended; workers and queries that take too long are killed."""
        self._is_stopping = True
        if self._outbox is not None:
            self._outbox.close()
        for loop in self._loops:
            loop.stop()
        if self._passes is not None:
            await self._passes.stop((_PATIENCE_S, self._pipeline.kill))
        _, late = await asyncio.wait(self._tasks, timeout=_PATIENCE_S)
        if late:
            self._pipeline.kill()
            await asyncio.wait(late)

    async def reload(self, settings: Settings) -> None:
        """Replace the evaluators by those of `settings`.

        Raises BadConfiguration; the former evaluators then stay active.
        """
        lanes = await asyncio.to_thread(self._pipeline.lanes_of, settings)
        is_needed = False
        try:
            await asyncio.to_thread(lanes.enrol)  # first, since it may fail
            await asyncio.to_thread(self._pipeline.results.believe, settings.trust.annotators)
            is_needed = not self._is_stopping
        finally:
            if not is_needed:
                await asyncio.to_thread(lanes.close)
        if not is_needed:
            return
        former = self._pipeline.lanes
        if self._passes is not None:
            await self._passes.stop((_PATIENCE_S, former.kill_user_code), (_PAID_CALLS_S, former.kill))
        await self._pipeline.replace_lanes(lanes)
        self._pipeline.workers.change_prices(settings.prices)
        self._every_s = settings.evaluation.every.total_seconds()
        if not self._is_stopping:
            self._start_passes()

    def _start_passes(self) -> None:
        """Start passes for the present lanes of the pipeline."""
        self._passes = PassLoops(self._pipeline.lanes, every_s=self._every_s, on_scores=self._pipeline.scored.set)
