"""An event loop in a thread of its own, for coroutines that may block it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from contextlib import suppress
from typing import Final

__all__ = ["BrokenOff", "Elsewhere", "Raised"]

_MOST_SILENT_S: Final = 0.2


class Raised(Exception):
    """What anybody's code has raised, be it an exit, which would end the loop or the thread that it comes to, or a
    cancellation, which would end those who wait for it."""

    def __init__(self, what: BaseException) -> None:
        super().__init__()
        self.what = what


class BrokenOff(Exception):
    """The loop has ended under a coroutine, because another one blocked it."""


class Elsewhere:
    """Begins with the first coroutine. The thread dies with the process, whatever blocks it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended = threading.Event()

    async def awaited(self, told: Awaitable[object]) -> object:
        """What `told` gives over there. Raises Raised and BrokenOff; cancelled there where it is here."""
        if self._loop is None or self._loop.is_closed():
            self._loop, self._ended = asyncio.new_event_loop(), threading.Event()
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
        if loop is None or loop.is_closed():
            return
        moves = threading.Event()
        loop.call_soon_threadsafe(moves.set)
        if not moves.wait(_MOST_SILENT_S):
            self.end()

    def end(self) -> None:
        """The loop ends as soon as it can."""
        loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(_end, loop, self._ended)


def _end(loop: asyncio.AbstractEventLoop, ended: threading.Event) -> None:
    ended.set()
    loop.stop()


def _run(loop: asyncio.AbstractEventLoop, ended: threading.Event) -> None:
    """Until `ended`: a coroutine that stops its loop, or a task of it that exits, ends it for nobody."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop()  # which it closes
        while not (ended.is_set() or loop.is_closed()):
            with suppress(BaseException):
                loop.run_forever()


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
