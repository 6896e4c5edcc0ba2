"""Calls the task of an experiment, within a time limit."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any, TypeAlias

from tracegrade.evaluators.model import JsonObject

__all__ = ["Task", "TaskFailed", "call_task"]

Task: TypeAlias = Callable[..., object]
"""Runs an agent on an input: a text as its only argument, or the fields of an object by name. It may be `async`.

It returns the answer as text, an AgentTrace, or None if its spans record the run.
"""

_Outcome: TypeAlias = tuple[object, BaseException | None]


class TaskFailed(Exception):
    """The task raised an error or took too long; the message is the cause."""


async def call_task(task: Task, given: str | JsonObject, *, timeout_s: float | None) -> object:
    """Return what the task returns for the input `given`. Raises TaskFailed.

    A task that is not `async` runs in a thread of its own. If it takes too long it cannot be stopped: it is left
    behind, and ends with the process at the latest.
    """
    call = partial(task, **given) if isinstance(given, Mapping) else partial(task, given)
    try:
        async with asyncio.timeout(timeout_s) as limit:
            return await _call(call)
    except asyncio.CancelledError as error:
        if (current := asyncio.current_task()) is not None and current.cancelling():
            raise
        raise TaskFailed("CancelledError: it cancelled itself") from error
    except (TaskFailed, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        if isinstance(error, TimeoutError) and limit.expired():
            raise TaskFailed(f"it took longer than {timeout_s:g} s") from error
        raise TaskFailed(_explain(error)) from error


async def _call(call: partial[object]) -> object:
    is_async = any(map(inspect.iscoroutinefunction, (call.func, type(call.func).__call__)))
    returned = call() if is_async else await _call_in_thread(call)
    return await returned if inspect.isawaitable(returned) else returned


async def _call_in_thread(call: partial[object]) -> object:
    """Return what `call` returns in a thread with the present context, which belongs to the present capture.

    Raises TaskFailed.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[_Outcome] = loop.create_future()
    context = copy_context()

    def run() -> None:
        outcome: _Outcome
        try:
            outcome = context.run(call), None
        except BaseException as error:  # noqa: BLE001 - it is told where the task is awaited
            outcome = None, error
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(_settle, ended, outcome)

    # A daemon, unlike the threads of an executor: a task that hangs must not keep the process from ending.
    Thread(target=run, name="tracegrade task", daemon=True).start()
    returned, error = await ended
    if error is not None:  # as it is, a StopIteration could not be raised here
        raise TaskFailed(_explain(error)) from error
    return returned


def _settle(ended: asyncio.Future[Any], outcome: _Outcome) -> None:
    if not ended.done():
        ended.set_result(outcome)


def _explain(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
