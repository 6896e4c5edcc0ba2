"""The outcome of a question: the answer as its evaluator reads it, or the error of reading it."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...definition.dialogue import Answer, BadAnswer, Question
from .reply import Reply

__all__ = ["Broken", "Outcome", "outcome", "unwrap"]


class Broken(Exception):
    """The code of an evaluator failed; `error` is what it raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


Outcome: TypeAlias = Answer | BadAnswer | Broken


def outcome(question: Question, reply: Reply) -> Outcome:
    """Return the reply as the question's `read` parses it, or the error that this raises."""
    if reply.fault is not None:
        return BadAnswer(reply.fault, reply.text)
    try:
        value: Any = question.read(reply.text)
    except BadAnswer as bad:
        return bad
    except Exception as error:  # noqa: BLE001 - `read` may be user code
        return Broken(error)
    return Answer(text=reply.text, value=value, tokens=reply.tokens)


def unwrap(outcome: Outcome) -> Answer:
    """Return the answer. Raises the outcome if it is a BadAnswer or Broken."""
    if isinstance(outcome, Answer):
        return outcome
    raise outcome
