"""Judges that are a Python function of a user: it takes the prompt and returns the text of the answer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeAlias

from ...definition.function_path import NoSuchFunction, import_function
from ...model import JsonObject
from ..batch.batch_polling import BatchPolling
from ..exchange.failure import Failure, Late, Refused, Unreachable, Unready
from ..exchange.judge import Judge
from ..exchange.reply import Reply
from ..exchange.request import Request
from ..exchange.request_format import Form
from ..limits.throttle import Throttle
from ..servers.exception_mapping import meaning
from .loop_thread import BrokenOff, LoopThread, Raised
from .threads import Threads

__all__ = ["Function", "JudgeLM"]

JudgeLM: TypeAlias = Callable[[str], Any]
"""`str -> str`, or a coroutine function that returns one."""

_MOST_HANGING: Final = 4
"""No more calls are made once this many times `concurrency` calls hang: each keeps a thread for ever."""


class Function:
    """Calls the function at `judge.python`: a coroutine function on an event loop in its own thread, any other function
    in a new thread for each call. A call that blocks does not delay the timeouts of the others."""

    form: Form | None = None

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._path = judge.python or ""
        self._function: JudgeLM | None = None
        self._threads = Threads()
        self._loop_thread = LoopThread(self._threads)

    async def ready(self) -> None:
        self._function = self._function or self._loaded()

    async def say(self, request: Request) -> Reply:
        function = self._function = self._function or self._loaded()
        self._refuse_where_too_many_hang()
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                reply_text = await self._call(function, request.question.text)
        except TimeoutError as error:
            self._loop_thread.leave_where_blocked()
            raise Late(f"{self._path} did not return within {self._judge.timeout_s:g} s") from error
        except BrokenOff as error:
            raise Unreachable(f"{self._path} was cancelled: another call blocked the shared event loop") from error
        except Failure:
            raise
        except Exception as error:
            raise meaning(self._judge, error.what if isinstance(error, Raised) else error) from error
        if not isinstance(reply_text, str):
            raise Refused(f"{self._path} returned {type(reply_text).__name__}; a judge returns its answer as text")
        return Reply.of_text(reply_text, model=self._judge.called)

    def sent(self, request: Request) -> JsonObject:
        return {"prompt": request.question.text}

    def batches(self, throttle: Throttle, *, polling: BatchPolling, now: Callable[[], datetime]) -> None:
        """Return None: a function has no batch API."""

    async def close(self) -> None:
        self._loop_thread.end()

    def _refuse_where_too_many_hang(self) -> None:
        hanging = self._threads.hanging
        if hanging >= _MOST_HANGING * self._judge.concurrency:
            raise Unready(
                f"{hanging} calls of {self._path} hang; make it return or raise in time, then run `tracegrade reload`, "
                "which ends them"
            )

    async def _call(self, function: JudgeLM, text: str) -> object:
        returned = function(text) if inspect.iscoroutinefunction(function) else await self._in_thread(function, text)
        return await self._loop_thread.awaited(returned) if inspect.isawaitable(returned) else returned

    async def _in_thread(self, function: JudgeLM, text: str) -> object:
        """Return what `function` returns in a daemon thread, which does not keep the process alive if it hangs."""
        returned: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        thread = self._threads.start(partial(_run, function, text, returned))
        try:
            return await returned
        except asyncio.CancelledError:
            self._threads.leave(thread)
            raise

    def _loaded(self) -> JudgeLM:
        try:
            function = import_function(self._path)
        except NoSuchFunction as error:
            raise Unready(f"{self._path} cannot be loaded ({error}); correct `python` of the judge") from error
        if not callable(function):
            raise Unready(f"{self._path} is not a function; correct `python` of the judge")
        called: JudgeLM = function
        return called


def _run(function: JudgeLM, text: str, returned: asyncio.Future[object]) -> None:
    """Call `function`, and set its result or error on `returned`, which belongs to the loop of another thread."""
    outcome, error = None, None
    try:
        outcome = function(text)
    except BaseException as raised:  # noqa: BLE001 - user code may raise anything
        error = Raised(raised)
    loop = returned.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(_tell, returned, outcome, error)


def _tell(returned: asyncio.Future[object], outcome: object, error: Raised | None) -> None:
    if returned.done():
        return
    returned.set_result(outcome) if error is None else returned.set_exception(error)
