"""The dialogue of an evaluator with a judge: it yields questions and receives answers.

The evaluator does no input or output itself. The caller may answer from a store, hours later, or from a test.
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
    """The answer of a judge cannot be used. `answer` is its unchanged text; `computed` are details without it."""

    def __init__(self, why: str, answer: str, computed: JsonObject | None = None) -> None:
        super().__init__(why)
        self.answer = answer
        self.computed = computed or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One prompt. `instructions` are fixed text without content of a trace; `evidence` is content, marked as data.

    `read` parses the text of the judge, or raises BadAnswer. `form` is the JSON Schema of the answer, None for plain
    text. `weighs` also asks for the probabilities of its tokens.
    """

    instructions: str
    evidence: str
    read: Callable[[str], Any]
    form: JsonObject | None = None
    weighs: bool = False

    @property
    def in_words(self) -> str:
        """The instructions with the form of the answer, for a judge whose API cannot enforce a JSON Schema."""
        if self.form is None:
            return self.instructions
        return f"{self.instructions}\n\n{_IN_FORM}{orjson.dumps(self.form).decode()}"

    @property
    def text(self) -> str:
        """Instructions and evidence, for a judge that takes one text."""
        return f"{self.in_words}\n\n{self.evidence}"


@dataclass(frozen=True, slots=True)
class Token:
    """A token of an answer, and the probabilities of its alternatives, in [0, 1]."""

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of a judge. `value` is what the question's `read` returned for `text`; `tokens` may be empty."""

    text: str
    value: Any
    tokens: tuple[Token, ...] = field(default=())


Dialogue: TypeAlias = Generator[Sequence[Question], Sequence[Answer], Score | Sequence[Score]]
"""Yields questions that may be asked at the same time, is sent their answers, and returns a Score or one per tool call.

The same answers give the same questions and scores, so a dialogue can be repeated from the beginning."""


class Asking(Options, ABC):
    """Base of evaluators that ask a judge. One that can also evaluate without a judge defines `__call__`, too.

    `prompts` names the files of its instructions, which are part of its identity. One that `sees_sessions` accepts the
    turns of a conversation instead of a run.
    """

    can_ask: ClassVar[bool] = True
    prompts: ClassVar[tuple[str, ...]] = ()
    sees_sessions: ClassVar[bool] = False

    @property
    def must_ask(self) -> bool:
        return not callable(self)

    @abstractmethod
    def ask(self, given: Any) -> Dialogue:
        """Return the dialogue about `given`, a target of the scope of the evaluator."""


def run_dialogue(dialogue: Dialogue, judge: Callable[[Question], str]) -> Score | Sequence[Score]:
    """Return the score or scores of `dialogue`, whose questions `judge` answers. A bad answer is thrown into it.

    Raises what `dialogue` or `judge` raises.
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
    """Return the failed score of an evaluation that ended with a bad answer, whose text is in the details, beside what
    was computed without it."""
    return Score(
        status="error",
        reason=f"the judge's answer could not be used: {error}",
        details={**error.computed, "answer": error.answer},
    )


def _answer(question: Question, text: str) -> Answer:
    return Answer(text=text, value=question.read(text))
