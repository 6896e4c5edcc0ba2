"""Threads for one kind of blocking request, so that many of one kind leave threads for others and for the server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from .problem import Details
from .refusal import Refusal

__all__ = ["BoundedPool"]

T = TypeVar("T")

_RETRY_AFTER_S: Final = 5


class BoundedPool:
    """Runs `at_once` requests while others wait, up to `limit` in all, and refuses further ones. For one event loop."""

    def __init__(self, name: str, *, at_once: int, limit: int) -> None:
        self._name = name
        self._limit = limit
        self._taken = 0
        self._threads = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """Return what `work` returns. Raises what it raises, and Refusal if the pool is full."""
        if self._taken >= self._limit:
            raise Refusal(
                503,
                "unavailable",
                f"{self._taken} requests of this kind ({self._name}) are running or waiting; send this one again later",
                details=Details(limit=self._limit),
                retry_after_s=_RETRY_AFTER_S,
            )
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._taken -= 1
