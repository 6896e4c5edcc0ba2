"""Repeats a cycle until the loop is stopped; an error in one cycle does not end the loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from time import monotonic
from typing import Final, Protocol

from ...store.errors import StoreUnavailable
from ...store.ledger.sql_evaluators import CutOff
from ...system.log import log
from ...system.wake_event import WakeEvent
from ...worker.process import WorkbenchClosed

__all__ = ["Cycle", "Loop"]

_RETRY_S: Final = 5.0


class Cycle(Protocol):
    """The work that a loop repeats."""

    @property
    def woken(self) -> WakeEvent:
        """The event that is set when there may be work."""
        ...

    async def next_in_s(self) -> float | None:
        """Return the seconds until work may be due even if `woken` is not set; None if none will be."""
        ...

    async def run(self, is_stopping: Callable[[], bool]) -> bool:
        """Do the work that is due; return False if it has to be repeated. Once `is_stopping`, begin nothing more."""
        ...


class Loop:
    """Waits until `cycle` is woken or due, and runs it, at most every `every_s` and with a pause of `pause_s`.

    A cycle that fails is repeated after a longer pause. This loses nothing, since all state is in the store.
    """

    def __init__(self, name: str, cycle: Cycle, *, pause_s: float = 0.0, every_s: float = 0.0) -> None:
        self._name = name
        self._cycle = cycle
        self._pause_s, self._every_s = pause_s, every_s
        self._began_at = 0.0
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Run the loop. Return once it is stopped and its cycle has ended."""
        while not self._stopping.is_set():
            is_done = await self._complete_cycle()
            if not is_done:
                self._cycle.woken.set()
            # From beginning to beginning: what came just after a cycle began waits no longer than what came before.
            rest_s = max(self._pause_s, self._began_at + self._every_s - monotonic())
            await self._pause(rest_s if is_done else max(rest_s, _RETRY_S))

    def stop(self) -> None:
        """End the loop after the step that is under way."""
        self._stopping.set()
        self._cycle.woken.set()

    async def _complete_cycle(self) -> bool:
        try:
            await self._cycle.woken.wait(await self._cycle.next_in_s())
            self._began_at = monotonic()
            return await self._cycle.run(self._stopping.is_set)
        except StoreUnavailable as error:
            log.warning("a cycle waits for the store", loop=self._name, cause=str(error))
        except (WorkbenchClosed, CutOff) as error:
            log.info("a cycle was interrupted; its targets stay due", loop=self._name, cause=str(error))
        except Exception as error:  # noqa: BLE001 - logged with its traceback
            log.exception("a cycle failed and is repeated", loop=self._name, error=str(error))
        return False

    async def _pause(self, seconds: float) -> None:
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)
