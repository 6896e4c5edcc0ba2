"""Asks one judge about one dialogue: for metrics that a program calls, without a cache, limits or a budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias, cast

from ...definition.dialogue import Answer, BadAnswer, Dialogue, Question
from ...model import Score
from ..exchange.failure import Busy, Unreachable
from ..exchange.judge import Judge
from ..exchange.outcome import outcome, unwrap
from ..exchange.request import Request
from .backend import Backend, backend_of
from .in_process import JudgeFunction, answer
from .named_model import judge_named

__all__ = ["Asker", "asker_of"]

_Ask: TypeAlias = Callable[[Question], Awaitable[Answer]]

_PAUSES_S: Final = (1.0, 4.0)
"""The pauses before further attempts, if a server is busy or cannot be reached."""


def asker_of(model: object, *, key: str | None = None, settings: Mapping[str, Any] | None = None) -> Asker:
    """Return what asks `model`: the name of one, a function from text to text, or an object with `invoke`.

    `key` and `settings` are for a name (`judge_named`). Raises ValueError, or TypeError for anything else.
    """
    if isinstance(model, str):
        return Asker(judge_named(model, key=key, settings=settings))
    if callable(invoke := getattr(model, "invoke", None)):
        return Asker(partial(_invoked, invoke))
    if callable(model):
        return Asker(cast("JudgeFunction", model))
    raise TypeError(
        "a model is its name, a function that takes a text and returns one, or an object with `invoke`, "
        f"not {type(model).__name__}"
    )


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a judge, either on a server or a function."""

    judge: Judge | JudgeFunction

    async def conclude(self, dialogue: Dialogue) -> Score:
        """Return the score of `dialogue` about one run.

        Raises BadAnswer if an answer cannot be used, a Failure if there is none, and what a function raises.
        """
        async with self._open() as ask:
            step: Callable[[], Sequence[Question]] = partial(next, dialogue)
            while True:
                try:
                    questions = step()
                except StopIteration as end:
                    return cast("Score", end.value)
                step = await _next(dialogue, ask, questions)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[_Ask]:
        if not isinstance(self.judge, Judge):
            yield partial(_ask_function, self.judge)
            return
        backend = backend_of(self.judge)
        try:
            yield partial(_ask_server, backend, self.judge)
        finally:
            await backend.close()


async def _next(dialogue: Dialogue, ask: _Ask, questions: Sequence[Question]) -> Callable[[], Sequence[Question]]:
    """Return the next step of the dialogue, with its answers or with the first that cannot be used."""
    outcomes = await asyncio.gather(*map(ask, questions), return_exceptions=True)
    errors = [error for error in outcomes if isinstance(error, BaseException)]
    for error in errors:
        if not isinstance(error, BadAnswer):
            dialogue.close()
            raise error
    if errors:
        return partial(dialogue.throw, errors[0])
    return partial(dialogue.send, [each for each in outcomes if isinstance(each, Answer)])


async def _ask_function(function: JudgeFunction, question: Question) -> Answer:
    text = await asyncio.to_thread(_answered, function, question)
    return Answer(text=text, value=question.read(text))


def _answered(function: JudgeFunction, question: Question) -> str:
    try:
        return answer(function, question)
    except StopIteration as error:  # no future can pass it on: the caller would wait for ever
        raise RuntimeError("the judge raised StopIteration; it has no further answer") from error


async def _ask_server(backend: Backend, judge: Judge, question: Question) -> Answer:
    request = Request.of(judge, question)
    for pause_s in _PAUSES_S:
        try:
            return unwrap(outcome(question, await backend.say(request)))
        except (Busy, Unreachable):
            await asyncio.sleep(pause_s)
    return unwrap(outcome(question, await backend.say(request)))


def _invoked(invoke: Callable[[str], Any], prompt: str) -> str | Awaitable[str]:
    """Return the text that a model of LangChain's or gllm's kind answers."""
    returned = invoke(prompt)
    return _awaited_text(returned) if isinstance(returned, Awaitable) else _text(returned)


async def _awaited_text(returned: Awaitable[Any]) -> str:
    return _text(await returned)


def _text(returned: Any) -> str:
    content = getattr(returned, "content", returned)
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)
    return str(content)
