"""Stops the work for a request whose client has disconnected."""

from __future__ import annotations

import asyncio
import threading
from typing import TypeVar

from starlette.requests import Request

__all__ = ["finish_or_cancel", "wait_for_disconnect"]

T = TypeVar("T")


async def finish_or_cancel(request: Request, work: asyncio.Future[T], cancelled: threading.Event) -> T:
    """Return the result of `work`, and set `cancelled` if the client disconnects before. Raises what it raises."""
    disconnect = asyncio.ensure_future(wait_for_disconnect(request))
    try:
        await asyncio.wait((work, disconnect), return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnect.cancel()
        if not work.done():
            cancelled.set()
    return await work


async def wait_for_disconnect(request: Request) -> None:
    """Wait until the client has disconnected. The body has been read, so no other message can arrive."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
