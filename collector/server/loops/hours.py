"""The cycle of the hours: their counts are stored once they are over, and again when they have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from ...store.results.hours import Hours
from ...system.wake_event import WakeEvent

__all__ = ["HoursCycle"]

_EVERY_S: Final = 5.0
"""Hours that have changed are counted whenever they are read, which takes longer the further apart they lie."""

_BETWEEN_STRETCHES_S: Final = 0.5


class HoursCycle:
    """Renews the counts of hours, some at a time, so that others can write in between."""

    def __init__(self, hours: Hours) -> None:
        self.woken = WakeEvent()
        self._hours = hours
        self._has_more = True

    async def next_in_s(self) -> float | None:
        return _BETWEEN_STRETCHES_S if self._has_more else _EVERY_S

    async def run(self, is_stopping: Callable[[], bool]) -> bool:  # noqa: ARG002 - the work is short
        self._has_more = await asyncio.to_thread(self._hours.renew)
        return True
