"""Wakes a loop from any thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from functools import partial

__all__ = ["WakeEvent"]


class WakeEvent:
    """An event that any thread sets and one task awaits. It belongs to no event loop until it is awaited, so that parts
    can be built, and woken, before the loop runs that waits for them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._wake: Callable[[], object] | None = None

    def set(self) -> None:
        """End the wait that is under way, or else the next one."""
        with self._lock:  # so that the waiting loop is not closed meanwhile
            self._is_set = True
            if self._wake is not None:
                self._wake()

    async def wait(self, timeout_s: float | None = None) -> None:
        """Return when the event is set, or after `timeout_s`; it is not set any more then."""
        woken = asyncio.Event()
        with self._lock:
            self._wake = partial(asyncio.get_running_loop().call_soon_threadsafe, woken.set)
            if self._is_set:
                woken.set()
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), timeout_s)
        finally:
            with self._lock:
                self._wake = None
                self._is_set = False
