"""The end of the server, for answers that last as long as a page is open."""

from __future__ import annotations

import asyncio
import contextlib

__all__ = ["Stopping"]


class Stopping:
    """Says that the server is about to end."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def has_begun(self) -> bool:
        """Whether the server is about to end."""
        return self._event.is_set()

    async def begin(self) -> None:
        """End what goes on."""
        self._event.set()

    async def wait(self, timeout_s: float) -> None:
        """Wait so long, or until the server is about to end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), timeout_s)
