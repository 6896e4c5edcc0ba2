"""A judge that is a function, asked from the calling process."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from ...definition.dialogue import Question
from .loop_thread import LoopThread
from .threads import Threads

__all__ = ["JudgeFunction", "answer", "refuse_other_judges"]

JudgeFunction: TypeAlias = Callable[[str], str | Awaitable[str]]
"""Whoever answers evaluators that ask: text in, text out, as Dokimos' JudgeLM. It may be `async`."""

_LOOP: Final = LoopThread(Threads())
"""Awaits every question of the process: clients (httpx, openai) keep connections that are bound to one event loop."""


def answer(judge: JudgeFunction, question: Question) -> str:
    """Return the text that `judge` returns. Raises what it raises, and TypeError when it returns no text."""
    returned = judge(question.text)
    text = _awaited(returned) if inspect.isawaitable(returned) else returned
    if not isinstance(text, str):
        raise TypeError(f"the judge returned {type(text).__name__}; it returns its answer as text")
    return text


def refuse_other_judges(judge: object) -> None:
    """Raises TypeError when `judge` is given and is not a function, such as the name of a judge."""
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
