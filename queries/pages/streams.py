"""Answers that last as long as a page is open: how many there may be, and their end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Final

from ..http.problem import Details
from ..http.refusal import Refusal

__all__ = ["Streams"]

_RETRY_AFTER_S: Final = 60
_SHARED_S: Final = 1.0


class Streams:
    """At most `limit` streams at a time, so that connections are left for other requests; all end when the server does.
    For one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open = 0
        self._end = asyncio.Event()
        self._newest: asyncio.Future[int] | None = None
        self._newest_at = 0.0
        self.turn = asyncio.Lock()
        """To be held while the store is read for a stream, so that all of them take one of the threads for reading."""

    @property
    def have_ended(self) -> bool:
        """Whether the server is about to end."""
        return self._end.is_set()

    async def end(self) -> None:
        """End all streams."""
        self._end.set()

    async def wait(self, timeout_s: float | None) -> None:
        """Wait so long, without limit for None, or until the server is about to end."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._end.wait(), timeout_s)

    async def read_newest(self, read: Callable[[], Awaitable[int]]) -> int:
        """Return the place of the newest run, which is read once a second for all streams."""
        now = asyncio.get_running_loop().time()
        if self._newest is None or now - self._newest_at >= _SHARED_S:
            self._newest, self._newest_at = asyncio.ensure_future(read()), now
        return await asyncio.shield(self._newest)

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """Take a place within the context. Raises Refusal if there are as many streams as there may be."""
        if self._open >= self._limit:
            raise Refusal(
                503,
                "unavailable",
                f"{self._open} pages are told of new runs, the most that this server may: close some, or load the page "
                "again to see what is new",
                reason="streams",
                details=Details(limit=self._limit),
                retry_after_s=_RETRY_AFTER_S,
            )

        self._open += 1
        try:
            yield
        finally:
            self._open -= 1
