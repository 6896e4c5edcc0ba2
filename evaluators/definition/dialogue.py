"""What an evaluator that asks a judge says, and what it hears. It asks nobody itself: whoever carries its questions may
answer from a store, take hours, or be a test.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

import orjson

from ..model import JsonObject, Score
from .registry import Options

__all__ = ["Answer", "Asking", "BadAnswer", "Dialogue", "Question", "Token", "run_dialogue", "unusable"]


_IN_FORM: Final = "Answer with one JSON object and nothing else. It must fit this JSON Schema:\n"


class BadAnswer(ValueError):
    """The answer of a judge cannot be used, and no score is made of it. `answer` is its text as it came."""

    def __init__(self, why: str, answer: str) -> None:
        super().__init__(why)
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One prompt. `instructions` are ours and hold nothing of a trace; `evidence` is what is judged, marked as data.

    `read` makes of the judge's text what the evaluator goes on with, or raises BadAnswer. `form` is the JSON Schema
    that the text is asked to fit, None for plain text. `weighs` asks for the probabilities of its tokens as well.
    """

    instructions: str
    evidence: str
    read: Callable[[str], Any]
    form: JsonObject | None = None
    weighs: bool = False

    @property
    def in_words(self) -> str:
        """The instructions with the form of the answer, for a judge that is not held to it otherwise."""
        if self.form is None:
            return self.instructions
        return f"{self.instructions}\n\n{_IN_FORM}{orjson.dumps(self.form).decode()}"

    @property
    def text(self) -> str:
        """All of it, for a judge that takes one text."""
        return f"{self.in_words}\n\n{self.evidence}"


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an answer, and what else might have stood there, with probabilities in [0, 1]."""

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a judge said. `value` is what the question's `read` made of `text`; `tokens` is empty where nobody told."""

    text: str
    value: Any
    tokens: tuple[Token, ...] = field(default=())


Dialogue: TypeAlias = Generator[Sequence[Question], Sequence[Answer], Score | Sequence[Score]]
"""Yields questions that may be asked side by side, is sent the answer to each, and returns what comes of them: a Score,
or one a tool call. It says the same when it is told the same, so that it may be held again from the beginning."""


class Asking(Options, ABC):
    """Base of evaluators that ask a judge. One that can also do without has a call as well.

    `prompts` names the files that its instructions are made of, which are part of what it is. One that `sees_sessions`
    can be given the turns of a conversation in place of a run.
    """

    can_ask: ClassVar[bool] = True
    prompts: ClassVar[tuple[str, ...]] = ()
    sees_sessions: ClassVar[bool] = False

    @property
    def must_ask(self) -> bool:
        return not callable(self)

    @abstractmethod
    def ask(self, given: Any) -> Dialogue:
        """The dialogue about what evaluators of its scope are given."""


def run_dialogue(dialogue: Dialogue, judge: Callable[[Question], str]) -> Score | Sequence[Score]:
    """Return how `dialogue` ends when `judge` answers each question, a bad answer being thrown into it.

    Raises what it then raises, and what `judge` raises.
    """
    step: Callable[[], Sequence[Question]] = partial(next, dialogue)
    while True:
        try:
            questions = step()
        except StopIteration as end:
            conclusion: Score | Sequence[Score] = end.value
            return conclusion
        try:
            step = partial(dialogue.send, [_answer(question, judge(question)) for question in questions])
        except BadAnswer as bad:
            step = partial(dialogue.throw, bad)


def unusable(error: BadAnswer) -> Score:
    """Return the evaluation that ended with a bad answer, which stands in the details as it came."""
    return Score(
        status="error", reason=f"the judge's answer could not be used: {error}", details={"answer": error.answer}
    )


def _answer(question: Question, text: str) -> Answer:
    return Answer(text=text, value=question.read(text))
