"""Judges with scripted answers, in this process or in a worker."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tracegrade.evaluators.definition.dialogue import Dialogue, Question, run_dialogue
from tracegrade.evaluators.model import Score

__all__ = ["Judge", "ask", "delighted", "make_answer", "mortal", "patient"]


class Judge:
    """Answers one question after the other; an answer that is no text is written as JSON."""

    def __init__(self, *answers: Any) -> None:
        self._answers = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
        self.asked: list[Question] = []

    def __call__(self, question: Question) -> str:
        self.asked.append(question)
        return self._answers[len(self.asked) - 1]

    def list_questions(self) -> list[tuple[str, str]]:
        """Instructions and evidence of each question."""
        return [(question.instructions, question.evidence) for question in self.asked]


def make_answer(score: float, reason: str = "so it is") -> dict[str, Any]:
    """An answer with a score."""
    return {"reason": reason, "score": score}


def delighted(_: str) -> str:
    """A judge that gives everything its best score; for a worker that can import this module."""
    return json.dumps({"reason": "It is splendid.", "score": 10})


def patient(question: str) -> str:
    """A judge that answers what names a file only once that file is there; for a worker that can import this module."""
    while (named := re.search(r"wait for (\S+), please", question)) and not Path(named[1]).exists():
        time.sleep(0.01)
    return delighted(question)


def mortal(question: str) -> str:
    """A judge that is killed with its worker as often as there are files in the folder `deaths` that a question names;
    for a worker that can import this module."""
    named = re.search(r"\S*/deaths", question)
    for death in Path(named[0]).iterdir() if named else ():
        death.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return delighted(question)


def ask(dialogue: Dialogue, *answers: Any) -> Score:
    """Runs a dialogue with these answers, and returns its score. Raises BadAnswer."""
    judge = Judge(*answers)
    said: Score | Sequence[Score] = run_dialogue(dialogue, judge)
    assert isinstance(said, Score)
    assert len(judge.asked) == len(answers)
    return said
