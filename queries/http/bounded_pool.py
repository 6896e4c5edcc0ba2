"""Threads for one kind of request, whose work blocks: many of a kind keep neither other kinds nor the server's own
work from a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from .access import Refusal

__all__ = ["BoundedPool"]

T = TypeVar("T")

_RETRY_AFTER_S = 5


class BoundedPool:
    """Does the work of `at_once` requests, in which others wait: with `limit` of them whoever comes is told to come
    again. For one event loop."""

    def __init__(self, what: str, *, at_once: int, limit: int) -> None:
        self._what = what
        self._limit = limit
        self._taken = 0
        self._threads = ThreadPoolExecutor(max_workers=at_once, thread_name_prefix=what)

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` gives, and raises. Raises Refusal where too many wait."""
        if self._taken >= self._limit:
            told = (
                f"{self._taken} requests of this kind ({self._what}) are under way or wait; send this one again later"
            )
            raise Refusal(503, "unavailable", told, retry_after_s=_RETRY_AFTER_S)
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._taken -= 1
