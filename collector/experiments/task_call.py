"""Calls the task of an experiment, within a time limit."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from tracegrade.evaluators.model import JsonObject

from .daemon_thread import start_thread

__all__ = ["Task", "TaskFailed", "call_task"]

Task: TypeAlias = Callable[..., object]
"""Runs an agent on an input: a text as its only argument, or the fields of an object by name. It may be `async`.

It returns the answer as text, an AgentTrace, or None if its spans record the run.
"""


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
    _, ended = start_thread(call, name="tracegrade task")
    returned, error = await ended
    if error is not None:
        raise TaskFailed(_explain(error)) from error
    return returned


def _explain(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
