"""What comes of a question: the answer as its evaluator reads it, or what is wrong with it."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...definition.dialogue import Answer, BadAnswer, Question
from .reply import Reply

__all__ = ["Broken", "Outcome", "outcome", "unwrap"]


class Broken(Exception):
    """An evaluator's code failed; `error` is what it raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


Outcome: TypeAlias = Answer | BadAnswer | Broken


def outcome(question: Question, reply: Reply) -> Outcome:
    """Return what `read` of the question makes of the reply."""
    if reply.fault is not None:
        return BadAnswer(reply.fault, reply.text)
    try:
        value: Any = question.read(reply.text)
    except BadAnswer as bad:
        return bad
    except Exception as error:  # noqa: BLE001 - the evaluator may be anybody's
        return Broken(error)
    return Answer(text=reply.text, value=value, tokens=reply.tokens)


def unwrap(outcome: Outcome) -> Answer:
    """Return the answer, or raises the BadAnswer or Broken in its place."""
    if isinstance(outcome, Answer):
        return outcome
    raise outcome
