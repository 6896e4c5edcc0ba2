"""Repeats a cycle until it is stopped, whatever goes wrong in one of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final, Protocol

from ...store.errors import StoreUnavailable
from ...store.ledger.sql_evaluators import CutOff
from ...system.log import log
from ...system.wake_event import WakeEvent
from ...worker.process import WorkbenchClosed

__all__ = ["Cycle", "Loop"]

_RETRY_S: Final = 5.0


class Cycle(Protocol):
    """What a loop does each time that it is woken."""

    @property
    def woken(self) -> WakeEvent:
        """Set when there may be something to do."""
        ...

    async def next_in_s(self) -> float | None:
        """In how many seconds something may be due without a call to `woken`; None when nothing will be."""
        ...

    async def run(self, is_stopping: Callable[[], bool]) -> bool:
        """Does what is due; once `is_stopping`, returns before it begins more. False when it has to be repeated."""
        ...


class Loop:
    """Waits until `cycle` is woken or due, runs it, and pauses for `pause_s`. A cycle that fails is repeated after a
    longer pause: nothing is lost by that, for all state is in the store."""

    def __init__(self, name: str, cycle: Cycle, *, pause_s: float = 0.0) -> None:
        self._name = name
        self._cycle = cycle
        self._pause_s = pause_s
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Returns once the loop is stopped and its cycle has ended."""
        while not self._stopping.is_set():
            is_done = await self._complete_cycle()
            if not is_done:
                self._cycle.woken.set()
            await self._pause(self._pause_s if is_done else max(self._pause_s, _RETRY_S))

    def stop(self) -> None:
        """Ends the loop after the step that is under way."""
        self._stopping.set()
        self._cycle.woken.set()

    async def _complete_cycle(self) -> bool:
        try:
            await self._cycle.woken.wait(await self._cycle.next_in_s())
            return await self._cycle.run(self._stopping.is_set)
        except StoreUnavailable as error:
            log.warning("a cycle waits for the store", loop=self._name, cause=str(error))
        except (WorkbenchClosed, CutOff) as error:
            log.info("a cycle was interrupted; its targets stay due", loop=self._name, cause=str(error))
        except Exception as error:  # noqa: BLE001 - logged with its traceback
            log.exception("a cycle failed and is repeated", loop=self._name, error=str(error))
        return False

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
