"""The cache of answers for an event loop: requests that arrive during a call are batched into the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from ...ports import JudgeCache, JudgeCall

__all__ = ["AsyncJudgeCache"]

_T = TypeVar("_T")


class AsyncJudgeCache:
    """Calls a blocking JudgeCache, one call at a time, in a thread. An error is raised in every waiting caller.

    Answers that it could not store are kept here and stored before its next call, so that no answer is paid for twice.
    There are at most as many as calls were in flight.
    """

    def __init__(self, cache: JudgeCache) -> None:
        self._cache = cache
        self._wanted: list[tuple[str, asyncio.Future[JudgeCall | None]]] = []
        self._new: list[tuple[Sequence[JudgeCall], asyncio.Future[None]]] = []
        self._work: asyncio.Task[None] | None = None
        self.unkept: Sequence[JudgeCall] = ()

    async def lookup(self, request_hash: str) -> JudgeCall | None:
        future: asyncio.Future[JudgeCall | None] = asyncio.get_running_loop().create_future()
        self._wanted.append((request_hash, future))
        self._wake()
        return await future

    async def record(self, *calls: JudgeCall) -> None:
        """Store calls; they are committed when it returns."""
        recorded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._new.append((calls, recorded))
        self._wake()
        await recorded

    def _wake(self) -> None:
        if self._work is None or self._work.done():
            self._work = asyncio.get_running_loop().create_task(self._all())

    async def _all(self) -> None:
        while self._new or self._wanted:
            new, self._new = self._new, []
            lookups, self._wanted = self._wanted, []
            try:
                calls = await asyncio.to_thread(self._both, new, lookups)
            except Exception as error:  # noqa: BLE001 - any error is raised in the waiting callers
                _fail([future for _, future in new], error)
                _fail([future for _, future in lookups], error)
                continue
            for _, recorded in new:
                _tell(recorded, None)
            for request_hash, future in lookups:
                _tell(future, calls.get(request_hash))

    def _both(
        self,
        new: Sequence[tuple[Sequence[JudgeCall], asyncio.Future[None]]],
        wanted: Sequence[tuple[str, asyncio.Future[JudgeCall | None]]],
    ) -> Mapping[str, JudgeCall]:
        if rows := [*self.unkept, *(call for calls, _ in new for call in calls)]:
            self._keep(rows)
        return self._cache.lookup({request_hash for request_hash, _ in wanted}) if wanted else {}

    def _keep(self, rows: Sequence[JudgeCall]) -> None:
        try:
            self._cache.record(rows)
        except Exception:
            self.unkept = [call for call in rows if _is_nowhere_else(call)]
            raise
        self.unkept = ()


def _is_nowhere_else(call: JudgeCall) -> bool:
    """Return whether the answer was paid for and would be lost. An answer in a batch can be fetched again."""
    return call.status in {"ok", "unusable"} and not call.from_cache and call.batch_id is None


def _tell(future: asyncio.Future[_T], value: _T) -> None:
    if not future.done():  # the caller may have been cancelled
        future.set_result(value)


def _fail(futures: Iterable[asyncio.Future[Any]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
