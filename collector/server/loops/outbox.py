"""The cycle of the outbox, which exports new scores."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...system.wake_event import WakeEvent

if TYPE_CHECKING:
    from ...export.outbox import Outbox

__all__ = ["OutboxCycle"]


class OutboxCycle:
    """Exports new scores when it is woken through `woken`."""

    def __init__(self, outbox: Outbox, woken: WakeEvent) -> None:
        self.woken = woken
        self._outbox = outbox

    async def next_in_s(self) -> float | None:
        return None

    async def run(self, is_stopping: Callable[[], bool]) -> bool:  # noqa: ARG002 - a closed outbox ends by itself
        return await asyncio.to_thread(self._outbox.flush)
