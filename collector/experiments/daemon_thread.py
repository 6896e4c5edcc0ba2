"""Calls in threads that may hang."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import TypeAlias, TypeVar

__all__ = ["Outcome", "start_thread"]

T = TypeVar("T")

Outcome: TypeAlias = tuple[T | None, BaseException | None]
"""What a call returned, or else what it raised; as an exception of a future, a StopIteration could not be raised."""


def start_thread(call: Callable[[], T], *, name: str) -> tuple[Thread, asyncio.Future[Outcome[T]]]:
    """Make a call in a thread of its own, with the present context; return the thread, and how the call will end.

    A thread cannot be stopped. Unlike one of an executor, this one does not keep the process from ending.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Outcome[T]] = loop.create_future()
    context = copy_context()

    def run() -> None:
        outcome: Outcome[T]
        try:
            outcome = context.run(call), None
        except BaseException as error:  # noqa: BLE001 - it is told where the outcome is awaited
            outcome = None, error
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, ended, outcome)

    thread = Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread, ended


def _settle(ended: asyncio.Future[Outcome[T]], outcome: Outcome[T]) -> None:
    if not ended.done():
        ended.set_result(outcome)
