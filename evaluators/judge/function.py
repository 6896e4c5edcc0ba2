"""Judges that are a Python function of the user's: text in, text out."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from ..model import JsonObject
from ..own import imported
from ..registry import UnknownEvaluator
from .elsewhere import BrokenOff, Elsewhere, Raised
from .failure import Late, Refused, Unreachable, Unready
from .judge import Judge
from .raised import meaning
from .reply import Reply
from .request import Request

__all__ = ["Function", "JudgeLM"]

JudgeLM: TypeAlias = Callable[[str], Any]
"""`str -> str`, or a coroutine function that returns one."""


class Function:
    """Calls the function at `judge.python`: one that is no coroutine function in a thread, several at once; coroutines
    on an event loop in a thread of its own, so that one that blocks holds up nobody who keeps the time."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._path = judge.python or ""
        self._function: JudgeLM | None = None
        self._elsewhere = Elsewhere()

    async def ready(self) -> None:
        self._function = self._function or self._loaded()

    async def say(self, request: Request) -> Reply:
        function = self._function = self._function or self._loaded()
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                told = await self._told(function, request.text)
        except TimeoutError as error:
            self._elsewhere.leave_where_blocked()
            raise Late(f"{self._path} did not return within {self._judge.timeout_s:g} s") from error
        except BrokenOff as error:
            raise Unreachable(f"{self._path} was broken off: another call of it blocked their event loop") from error
        except Exception as error:
            raise meaning(self._judge, error.what if isinstance(error, Raised) else error) from error
        if not isinstance(told, str):
            raise Refused(f"{self._path} returned {type(told).__name__}; a judge returns its answer as text")
        return Reply.of_text(told, model=self._judge.called)

    def sent(self, request: Request) -> JsonObject:
        return {"prompt": request.text}

    async def close(self) -> None:
        self._elsewhere.end()

    async def _told(self, function: JudgeLM, text: str) -> object:
        told = function(text) if inspect.iscoroutinefunction(function) else await _in_thread(function, text)
        return await self._elsewhere.awaited(told) if inspect.isawaitable(told) else told

    def _loaded(self) -> JudgeLM:
        try:
            function = imported(self._path)
        except UnknownEvaluator as error:
            raise Unready(f"{self._path} cannot be loaded ({error}); correct `python` of the judge") from error
        if not callable(function):
            raise Unready(f"{self._path} is no function; correct `python` of the judge")
        called: JudgeLM = function
        return called


async def _in_thread(function: JudgeLM, text: str) -> object:
    """In a thread of its own that dies with the process: one that hangs takes no other's place, and holds up no end."""
    loop = asyncio.get_running_loop()
    returned: asyncio.Future[object] = loop.create_future()

    def tell(outcome: object, error: BaseException | None) -> None:
        if returned.done():
            return
        returned.set_result(outcome) if error is None else returned.set_exception(error)

    def run() -> None:
        outcome, error = None, None
        try:
            outcome = function(text)
        except BaseException as raised:  # noqa: BLE001 - it is anybody's code
            error = Raised(raised)
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, outcome, error)

    threading.Thread(target=run, name="judge", daemon=True).start()
    return await returned
