"""Stops the work for a request whose client has disconnected."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

__all__ = ["finish_or_cancel", "wait_for_disconnect"]

T = TypeVar("T")


async def finish_or_cancel(
    request: Request, work: asyncio.Future[T], cancelled: threading.Event, *ends: Coroutine[Any, Any, object]
) -> T:
    """Return the result of `work`, and set `cancelled` if the client disconnects, or one of `ends` returns, before.
    Raises what it raises."""
    waiting: list[asyncio.Future[Any]] = [asyncio.ensure_future(end) for end in (wait_for_disconnect(request), *ends)]
    try:
        await asyncio.wait([work, *waiting], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for end in waiting:
            end.cancel()
        if not work.done():
            cancelled.set()
            work.add_done_callback(_take_error)  # nobody waits for it if this request is cancelled itself
    return await work


def _take_error(work: asyncio.Future[Any]) -> None:
    if not work.cancelled():
        work.exception()


async def wait_for_disconnect(request: Request) -> None:
    """Wait until the client has disconnected. The body has been read, so no other message can arrive."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
