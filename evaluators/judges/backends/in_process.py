"""A judge that is a function, called in this process."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar, cast

from ...definition.dialogue import Question
from .loop_thread import LoopThread
from .threads import Threads

__all__ = ["JudgeFunction", "answer", "refuse_other_judges", "wait_for"]

T = TypeVar("T")

JudgeFunction: TypeAlias = Callable[[str], str | Awaitable[str]]
"""A function that answers as a judge: it takes a text and returns one, as Dokimos' JudgeLM. It may be `async`."""

_LOOP: Final = LoopThread(Threads())
"""The loop for all questions of the process: connections that clients (httpx, openai) keep are bound to one loop."""


def answer(judge: JudgeFunction, question: Question) -> str:
    """Return the text that `judge` returns. Raises what it raises, and TypeError if it does not return text."""
    returned = judge(question.text)
    text = _awaited(returned) if inspect.isawaitable(returned) else returned
    if not isinstance(text, str):
        raise TypeError(f"the judge returned {type(text).__name__}; it returns its answer as text")
    return text


def wait_for(awaitable: Awaitable[T]) -> T:
    """Return the result of `awaitable`, which runs on the loop of all questions, and block until then."""
    return cast("T", _LOOP.result(awaitable))


def refuse_other_judges(judge: object) -> None:
    """Raise TypeError if `judge` is neither None nor a function, for example the name of a judge."""
    if judge is None or callable(judge):
        return
    complaint = f"{judge!r} is a name" if isinstance(judge, str) else f"it is of type {type(judge).__name__}"
    raise TypeError(
        f"`judge` is a function that takes a text and returns one, and {complaint}; "
        "the judges that a configuration names answer in `tracegrade serve` and `tracegrade backfill`"
    )


def _awaited(text: Awaitable[str]) -> object:
    try:
        return _LOOP.result(text)
    except asyncio.CancelledError as error:
        raise RuntimeError("the judge was cancelled before it answered") from error
