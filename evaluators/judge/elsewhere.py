"""An event loop in a thread of its own, for coroutines that may block it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from typing import Final

__all__ = ["BrokenOff", "Elsewhere", "Raised"]

_MOST_SILENT_S: Final = 0.2


class Raised(Exception):
    """What anybody's code has raised, be it an exit, which would end the loop or the thread that it comes to, or a
    cancellation, which would end those who wait for it."""

    def __init__(self, what: BaseException) -> None:
        super().__init__(str(what))
        self.what = what


class BrokenOff(Exception):
    """The loop has ended under a coroutine, because another one blocked it."""


class Elsewhere:
    """Begins with the first coroutine. The thread dies with the process, whatever blocks it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = asyncio.Event()

    async def awaited(self, told: Awaitable[object]) -> object:
        """What `told` gives over there. Raises Raised and BrokenOff; cancelled there where it is here."""
        if self._loop is None:
            self._loop, self._ended = asyncio.new_event_loop(), asyncio.Event()
            threading.Thread(target=_run, args=(self._loop, self._ended), name="judge", daemon=True).start()
        ended = self._ended
        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_guarded(told), self._loop))
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise (BrokenOff if ended.is_set() else Raised(error)) from error

    def leave_where_blocked(self) -> None:
        """Others get a loop of their own where this one does nothing any more."""
        loop = self._loop
        if loop is None:
            return
        moves = threading.Event()
        loop.call_soon_threadsafe(moves.set)
        if not moves.wait(_MOST_SILENT_S):
            self.end()

    def end(self) -> None:
        """The loop ends as soon as it can."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(self._ended.set)


def _run(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_until(ended))


async def _until(ended: asyncio.Event) -> None:
    await ended.wait()


async def _guarded(told: Awaitable[object]) -> object:
    try:
        return await told
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        raise Raised(error) from error


def _is_cancelled() -> bool:
    """Whether somebody has cancelled this task; a CancelledError may come from elsewhere, too."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
