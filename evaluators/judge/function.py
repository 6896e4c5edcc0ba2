"""Judges that are a Python function of the user's: text in, text out."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from ..model import JsonObject
from .failure import Failure, Late, Misconfigured, Refused, Unreachable
from .judge import Judge
from .prompt import Prompt
from .reply import Reply

__all__ = ["Function", "JudgeLM"]

JudgeLM: TypeAlias = Callable[[str], Any]
"""`str -> str`, or a coroutine function that returns one."""


class Function:
    """Calls the function at `judge.python`; one that is no coroutine function in a thread, several at once."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._path = judge.python or ""
        self._function: JudgeLM | None = None

    async def say(self, prompt: Prompt) -> Reply:
        function = self._function = self._function or self._loaded()
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                told = await _told(function, prompt.text)
        except TimeoutError as error:
            raise Late(f"{self._path} did not return within {self._judge.timeout_s:g} s") from error
        except Exception as error:
            raise self._failure(error) from error
        if not isinstance(told, str):
            raise Refused(f"{self._path} returned {type(told).__name__}; a judge returns its answer as text")
        return Reply.of_text(told, model=self._judge.called)

    def request(self, prompt: Prompt) -> JsonObject:
        return {"prompt": prompt.text}

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _loaded(self) -> JudgeLM:
        module, _, name = self._path.partition(":")
        try:
            function = importlib.import_module(module)
            for step in name.split("."):
                function = getattr(function, step)
        except (Exception, SystemExit) as error:
            raise Misconfigured(f"{self._path} cannot be loaded ({error}); correct `python` of the judge") from error
        if not callable(function):
            raise Misconfigured(f"{self._path} is no function; correct `python` of the judge")
        called: JudgeLM = function
        return called

    def _failure(self, error: Exception) -> Failure:
        """What is the matter with the network passes; anything else is the function's own."""
        kind = Unreachable if isinstance(error, OSError) else Refused
        return kind(f"{self._path} raised {type(error).__name__}: {error}")


async def _told(function: JudgeLM, text: str) -> object:
    if inspect.iscoroutinefunction(function):
        return await function(text)
    told = await _in_thread(function, text)
    return await told if inspect.isawaitable(told) else told


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
        except (Exception, SystemExit) as raised:  # noqa: BLE001 - it is anybody's code
            error = RuntimeError(str(raised)) if isinstance(raised, (StopIteration, SystemExit)) else raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, outcome, error)

    threading.Thread(target=run, name="judge", daemon=True).start()
    return await returned
