"""Calls the task of an experiment, within a time limit."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from tracegrade.evaluators.judges.backends.loop_thread import BrokenOff, LoopThread, Raised
from tracegrade.evaluators.model import JsonObject

from .daemon_thread import start_thread

__all__ = ["Task", "TaskFailed", "call_task", "refuse_other_tasks"]

Task: TypeAlias = Callable[..., object]
"""Runs an agent on an input: a text as its only argument, or the fields of an object by name. It may be `async`.

It returns the answer as text, an AgentTrace, or None if its spans record the run.
"""

_CLEANUP_S: Final = 1.0
"""How long a cancelled task may clean up before it is left behind."""


class TaskFailed(Exception):
    """The task raised an error or took too long; the message is the cause."""


def refuse_other_tasks(task: object) -> None:
    """Raise TypeError unless `task` is a function."""
    if not callable(task):
        raise TypeError(f"`task` is a function that runs your agent on an input, and not of type {type(task).__name__}")


async def call_task(
    task: Task, given: str | JsonObject, *, timeout_s: float | None, loop: LoopThread | None = None
) -> object:
    """Return what the task returns for the input `given`. Raises TaskFailed.

    A task that is `async` runs in `loop`, by default in the running one; any other runs in a thread of its own. One
    that takes too long is cancelled, which a thread cannot be, nor a coroutine that blocks or ignores it. These are
    left behind, and end with the process at the latest. But a coroutine that blocks the running loop holds up its
    caller, too.
    """
    call: partial[Any] = partial(task, **given) if isinstance(given, Mapping) else partial(task, given)
    limit = _Limit(timeout_s, time.perf_counter())
    if any(map(inspect.iscoroutinefunction, (call.func, type(call.func).__call__))):
        return await _call_in_loop(call, limit, loop)
    returned = await _call_in_thread(call, limit)
    return await _call_in_loop(lambda: returned, limit, loop) if inspect.isawaitable(returned) else returned


@dataclass(frozen=True, slots=True)
class _Limit:
    """How long a call may take, None for any time, and when it began."""

    timeout_s: float | None
    began_s: float

    @property
    def left_s(self) -> float | None:
        """The time that is left."""
        return None if self.timeout_s is None else max(self.timeout_s - self._took_s, 0.0)

    @property
    def is_exceeded(self) -> bool:
        return self.timeout_s is not None and self._took_s > self.timeout_s

    @property
    def failure(self) -> TaskFailed:
        return TaskFailed(f"it took longer than {self.timeout_s:g} s")

    @property
    def _took_s(self) -> float:
        return time.perf_counter() - self.began_s


async def _call_in_thread(call: Callable[[], object], limit: _Limit) -> object:
    """Return what `call` returns in a thread with the present context, which belongs to the present capture."""

    def timed() -> tuple[object, bool]:
        return call(), limit.is_exceeded

    _, ended = start_thread(timed, name="tracegrade task")
    await asyncio.wait({ended}, timeout=limit.left_s)
    if not ended.done():
        raise limit.failure
    outcome, error = ended.result()
    if error is not None or outcome is None:
        raise TaskFailed(_explain(error)) from error
    returned, is_late = outcome
    if is_late:
        raise limit.failure
    return returned


async def _call_in_loop(call: Callable[[], Awaitable[Any]], limit: _Limit, loop: LoopThread | None) -> object:
    """Return what the awaitable of `call` returns, in a loop with the present context."""
    if loop is None:
        return await _await_within(call, limit)
    longest_s = None if limit.left_s is None else limit.left_s + 2 * _CLEANUP_S
    try:
        async with asyncio.timeout(longest_s):
            return await loop.awaited(_await_within(call, limit))
    except BrokenOff as error:
        raise TaskFailed("the event loop was ended, since another task blocked it") from error
    except TimeoutError as error:
        await asyncio.to_thread(loop.leave_where_blocked)
        raise limit.failure from error
    except Raised as raised:
        raise raised.what from None


async def _await_within(call: Callable[[], Awaitable[Any]], limit: _Limit) -> object:
    """Return what the awaitable of `call` returns in the running loop. One that does not end in time is cancelled."""
    work = asyncio.create_task(_guard(call, limit))
    try:
        await asyncio.wait({work}, timeout=limit.left_s)
    except asyncio.CancelledError:
        work.cancel()
        raise
    if not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=_CLEANUP_S)
        raise limit.failure
    if work.cancelled():
        raise TaskFailed("CancelledError: it cancelled itself")
    outcome = work.result()
    if isinstance(outcome, TaskFailed):
        raise outcome
    return outcome


async def _guard(call: Callable[[], Awaitable[Any]], limit: _Limit) -> object:
    """Return what the awaitable of `call` returns, or TaskFailed: an exit raised in a task of a loop would end it."""
    try:
        returned = await call()
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # noqa: BLE001 - see above
        failure = TaskFailed(_explain(error))
        failure.__cause__ = error
        return failure
    return limit.failure if limit.is_exceeded else returned


def _explain(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}"
