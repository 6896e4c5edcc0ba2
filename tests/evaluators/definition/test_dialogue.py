"""How a dialogue is held with whoever answers."""

from __future__ import annotations

from typing import NoReturn

import pytest

from tracegrade.evaluators.definition.dialogue import BadAnswer, Dialogue, Question, run_dialogue
from tracegrade.evaluators.model import Score


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise BadAnswer("it is no number", text) from error


QUESTION = Question(instructions="grade it", evidence="", read=number)


def forgiving() -> Dialogue:
    try:
        [answer] = yield [QUESTION]
    except BadAnswer as bad:
        return Score(value=0, explanation=f"as the peer does: {bad}")
    return Score(value=answer.value)


def insisting() -> Dialogue:
    for _ in range(2):
        try:
            [answer] = yield [QUESTION]
        except BadAnswer:
            continue
        return Score(value=answer.value)
    return Score.skip("it never said a number")


def strict() -> Dialogue:
    [answer] = yield [QUESTION]
    return Score(value=answer.value)


def test_bad_answer_is_thrown_into_the_dialogue_which_may_make_a_score_of_it() -> None:
    score = run_dialogue(forgiving(), lambda _: "none")
    assert score == Score(value=0, explanation="as the peer does: it is no number")


def test_dialogue_may_ask_again_after_a_bad_answer() -> None:
    answers = iter(["none", "0.5"])
    assert run_dialogue(insisting(), lambda _: next(answers)) == Score(value=0.5)


def test_bad_answer_of_which_a_dialogue_makes_nothing_is_raised() -> None:
    with pytest.raises(BadAnswer, match="it is no number"):
        run_dialogue(strict(), lambda _: "none")


def test_what_the_judge_raises_is_raised_and_not_thrown_into_the_dialogue() -> None:
    def fails(_: Question) -> NoReturn:
        raise OSError("down")

    with pytest.raises(OSError, match="down"):
        run_dialogue(forgiving(), fails)
