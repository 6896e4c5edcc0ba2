"""The evaluation passes: a loop and a thread per lane, so that a lane that blocks delays no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeVar

from ...evaluation.lane import Lane
from ...evaluation.lanes import Lanes
from ...system.wake_event import WakeEvent
from .loop import Loop

__all__ = ["PassCycle", "PassLoops"]

T = TypeVar("T")


class PassCycle:
    """Runs passes of one lane until all targets are evaluated that were due at the beginning.

    The passes run on a thread of `threads`. Calls `on_scores` after each pass that had targets.
    """

    def __init__(self, lane: Lane, *, on_scores: Callable[[], object], threads: Executor | None = None) -> None:
        self._lane = lane
        self._on_scores = on_scores
        self._threads = threads

    @property
    def woken(self) -> WakeEvent:
        return self._lane.woken

    async def next_in_s(self) -> float | None:
        return await self._run_in_thread(self._lane.next_in_s)

    async def run(self, is_stopping: Callable[[], bool]) -> bool:
        while not is_stopping():
            summary = await self._run_in_thread(self._lane.evaluate)
            if summary.targets:
                self._on_scores()
            if not summary.is_full:
                break
        return True

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class PassLoops:
    """The loops of all lanes. They start with the object and run until they are stopped."""

    def __init__(self, lanes: Lanes, *, every_s: float, on_scores: Callable[[], object]) -> None:
        self._lanes = lanes
        self._threads = ThreadPoolExecutor(len(lanes.all), thread_name_prefix="pass")
        cycles = [PassCycle(lane, on_scores=on_scores, threads=self._threads) for lane in lanes.all]
        self._loops = [Loop("evaluation pass", cycle, every_s=every_s) for cycle in cycles]
        lanes.wake()
        self._tasks = [asyncio.create_task(loop.run()) for loop in self._loops]

    async def stop(self, *cuts: tuple[float, Callable[[], object]]) -> None:
        """End each loop between two passes, and let no judge be asked further questions.

        `cuts` are pairs of seconds to wait and a function that ends the passes still under way; the targets of these
        stay due.
        """
        for loop in self._loops:
            loop.stop()
        self._lanes.finish()
        late = set(self._tasks)
        for patience_s, cut in cuts:
            _, late = await asyncio.wait(late, timeout=patience_s)
            if not late:
                break
            cut()
        if late:
            await asyncio.wait(late)
        self._threads.shutdown()
