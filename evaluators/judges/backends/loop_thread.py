"""An event loop in its own thread, for coroutines that may block it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from inspect import iscoroutine
from typing import Final

from ..exchange.failure import Unready
from .threads import Threads

__all__ = ["BrokenOff", "LoopThread", "Raised"]

_MOST_SILENT_S: Final = 0.2


class Raised(Exception):
    """Wraps what the function of a judge raised. Unwrapped, a SystemExit would end the loop or thread, and a
    CancelledError would cancel its callers."""

    def __init__(self, what: BaseException) -> None:
        super().__init__()
        self.what = what


class BrokenOff(Exception):
    """The loop of a coroutine was ended, because another coroutine blocked it."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A loop, the thread that runs it, and whether it is to end."""

    loop: asyncio.AbstractEventLoop
    thread: threading.Thread
    ended: threading.Event

    @property
    def is_alive(self) -> bool:
        """Whether it can run coroutines. A forked process has the loop, but not the thread."""
        return self.thread.is_alive() and not self.loop.is_closed()


class LoopThread:
    """Runs coroutines on an event loop in one of `threads`, which is started with the first coroutine."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._running: _Running | None = None
        self._starting = threading.Lock()
        self._inner: LoopThread | None = None

    async def awaited(self, awaitable: Awaitable[object]) -> object:
        """Return the result of `awaitable` on that loop; it is cancelled if this call is cancelled.

        Raises Raised, BrokenOff, and Unready if no thread can be started.
        """
        running = self._started(awaitable)
        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_guarded(awaitable), running.loop))
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise (BrokenOff if running.ended.is_set() else Raised(error)) from error

    def result(self, awaitable: Awaitable[object]) -> object:
        """Return the result of `awaitable`, and block until then; it is cancelled if the caller is interrupted.

        Raises what it raises. A caller on the thread of the loop would wait for itself, so it uses a further loop.
        """
        running = self._started(awaitable)
        if running.thread is threading.current_thread():
            self._inner = self._inner or LoopThread(self._threads)
            return self._inner.result(awaitable)
        future = asyncio.run_coroutine_threadsafe(_guarded(awaitable), running.loop)
        try:
            return future.result()
        except Raised as raised:
            raise raised.what from None
        except BaseException:
            future.cancel()
            raise

    def leave_where_blocked(self) -> None:
        """Let later calls start a new loop if this one is blocked."""
        running = self._running
        if running is None or running.loop.is_closed():
            return
        moves = threading.Event()
        running.loop.call_soon_threadsafe(moves.set)
        if not moves.wait(_MOST_SILENT_S):
            self._threads.leave(running.thread)
            self.end()

    def end(self) -> None:
        """End the loop as soon as nothing blocks it."""
        running, self._running = self._running, None
        if running is not None and not running.loop.is_closed():
            running.loop.call_soon_threadsafe(_end, running)

    def _started(self, awaitable: Awaitable[object]) -> _Running:
        with self._starting:
            return self._started_once(awaitable)

    def _started_once(self, awaitable: Awaitable[object]) -> _Running:
        if self._running is not None and self._running.is_alive:
            return self._running
        loop, ended = asyncio.new_event_loop(), threading.Event()
        try:
            thread = self._threads.start(partial(_run, loop, ended))
        except Unready:
            loop.close()
            if iscoroutine(awaitable):
                awaitable.close()  # otherwise Python warns that it was never awaited
            raise
        self._running = _Running(loop, thread, ended)
        return self._running


def _end(running: _Running) -> None:
    running.ended.set()
    running.loop.stop()


def _run(loop: asyncio.AbstractEventLoop, ended: threading.Event) -> None:
    """Run the loop until `ended` is set, even if a coroutine stops it or a task exits."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop()  # the runner closes the loop that it has made
        while not (ended.is_set() or loop.is_closed()):
            with suppress(BaseException):
                loop.run_forever()


async def _guarded(awaitable: Awaitable[object]) -> object:
    try:
        return await awaitable
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        raise Raised(error) from error


def _is_cancelled() -> bool:
    """Return whether this task was cancelled; a CancelledError may also come from the awaited code."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
