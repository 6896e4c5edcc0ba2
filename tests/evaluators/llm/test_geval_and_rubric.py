"""Criteria of a user's own: G-Eval and rubrics."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.judges import Judge, ask, make_answer

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.dialogue import Answer, BadAnswer, Token, run_dialogue
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.llm.geval import GEval, expected_score
from tracegrade.evaluators.llm.rubric import Rubric
from tracegrade.evaluators.model import AgentTrace

RUN = AgentTrace(input="hello", final_response="hi there")
BANDS = ({"score_range": (1, 1), "expected_outcome": "rude"}, {"score_range": (2, 3), "expected_outcome": "polite"})
LABELS = {"rude": 0.0, "neutral": 0.5, "polite": 1.0}


def test_steps_are_written_once_from_the_criteria_and_nothing_of_a_run_is_shown_for_it() -> None:
    judge = Judge({"steps": ["Look at the greeting.", "Judge it."]}, make_answer(7))
    score: Any = run_dialogue(GEval(criteria="polite").ask(RUN), judge)
    assert score.value == 0.7
    assert score.details["steps"] == ["Look at the greeting.", "Judge it."]
    writing, judging = judge.asked
    assert "polite" in writing.instructions
    assert "hello" not in writing.evidence
    assert "1. Look at the greeting." in judging.instructions
    assert judging.weighs


def test_given_steps_are_followed_and_the_rubric_is_the_scale() -> None:
    evaluator = GEval.model_validate({"steps": ["Judge it."], "rubric": BANDS})
    judge = Judge(make_answer(2))
    score: Any = run_dialogue(evaluator.ask(RUN), judge)
    assert (score.value, score.details["scale"]) == (0.5, [1, 3])
    assert "2 to 3: polite" in judge.asked[0].instructions


def test_score_outside_of_the_scale_is_none() -> None:
    with pytest.raises(BadAnswer):
        ask(GEval(steps=("Judge it.",)).ask(RUN), make_answer(11))


def test_strict_mode_knows_one_and_nought_and_wants_no_probabilities() -> None:
    evaluator = GEval(steps=("Judge it.",), strict_mode=True)
    judge = Judge(make_answer(1))
    score: Any = run_dialogue(evaluator.ask(RUN), judge)
    assert (score.value, score.passed, judge.asked[0].weighs) == (1.0, True, False)


def test_probabilities_of_the_tokens_weigh_the_score() -> None:
    dialogue = GEval(steps=("Judge it.",)).ask(RUN)
    [question] = next(dialogue)
    text = '{"reason": "8 of 10", "score": 8}'
    tokens = (Token("8", {"1": 1.0}), Token("8", {"8": 0.6, "6": 0.2, " 9": 0.195, "x": 0.004, "100": 0.1}))
    with pytest.raises(StopIteration) as end:
        dialogue.send([Answer(text=text, value=question.read(text), tokens=tokens)])
    score = end.value.value
    assert score.value == pytest.approx((8 * 0.6 + 6 * 0.2 + 9 * 0.195) / 0.995 / 10)
    assert (score.details["raw_score"], score.details["weighted"]) == (8, True)


@pytest.mark.parametrize(
    "tokens",
    [(), (Token("x", {"8": 1.0}),), (Token("8", {}),), (Token("8", {"8": 0.001}),)],
    ids=["none told", "none is the score", "no alternatives", "all too improbable"],
)
def test_without_probabilities_the_score_itself_counts(tokens: tuple[Token, ...]) -> None:
    assert expected_score(8, tokens, scale=(0, 10)) is None


@pytest.mark.parametrize(
    ("raw", "alternatives", "expected"),
    [
        (8, {"8": 0.5, "1": 0.5}, 8),
        (1, {"1": 0.6, "2": 0.4}, None),
        (2, {"2": 0.5, "1": 0.495, "10": 0.005}, (2 * 0.5 + 0.495) / 0.995),
        (0, {"0": 0.5, "2": 0.5}, 1),
    ],
    ids=["perhaps 10 beside the score", "the score perhaps 10", "a tokenizer with whole numbers", "none begins with 0"],
)
def test_first_digit_of_a_longer_score_is_not_taken_for_a_score(raw: int, alternatives: Any, expected: Any) -> None:
    assert expected_score(raw, (Token(str(raw), alternatives),), scale=(0, 10)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("scale", "expected"),
    [((1, 5), 1.5), ((1, 100), None), ((0, 10), None), ((1, 9), 1.5)],
    ids=["to 5", "to 100", "to 10", "to 9"],
)
def test_scale_says_whether_a_score_begins_a_longer_one(scale: tuple[int, int], expected: float | None) -> None:
    assert expected_score(1, (Token("1", {"1": 0.5, "2": 0.5}),), scale=scale) == expected


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "say by `criteria`"),
        (
            {"criteria": "x", "evidence": ["inpt"]},
            r"'inpt' is not a part of a run that can be shown \(did you mean 'input'",
        ),
        ({"criteria": "x", "evidence": []}, "it is empty"),
        ({"criteria": "x", "rubric": [BANDS[0]]}, "one score only"),
        ({"criteria": "x", "rubric": [BANDS[1], BANDS[1]]}, "overlap"),
        (
            {"criteria": "x", "rubric": [{**BANDS[0], "score_range": (3, 1)}]},
            r"option 'rubric\.0\.score_range' of geval: it goes from 3 to 1",
        ),
    ],
    ids=["nothing to judge by", "an unknown part", "no part", "one score", "overlapping bands", "a band turned round"],
)
def test_geval_that_cannot_be_is_refused_with_what_to_write(options: Any, why: str) -> None:
    with pytest.raises(WrongOptions, match=why):
        configure("geval", options=options)


def test_what_is_wrong_with_the_whole_names_no_option() -> None:
    with pytest.raises(WrongOptions, match=r"^geval: say by `criteria`"):
        configure("geval")


def test_part_that_nobody_knows_makes_its_list_not_empty() -> None:
    with pytest.raises(WrongOptions) as refusal:
        configure("rubric", options={"criteria": "x", "evidence": ["inptu"]})
    assert [keys for keys, _ in refusal.value.faults] == [("evidence", 0)]


def test_rubric_with_a_scale_puts_the_score_between_its_ends() -> None:
    rubric = Rubric(criteria="Is it polite?", scale=(1, 5), levels={1: "rude", 5: "kind"}, pass_mark=4)
    judge = Judge(make_answer(4))
    score: Any = run_dialogue(rubric.ask(RUN), judge)
    assert (score.value, score.passed, score.details["verdict"]) == (0.75, True, 4)
    assert "1: rude" in judge.asked[0].instructions
    assert rubric.own_threshold == 0.75


def test_rubric_with_labels_says_the_label_and_what_it_is_worth() -> None:
    rubric = Rubric(criteria="Is it polite?", labels=LABELS, pass_mark="polite")
    score = ask(rubric.ask(RUN), {"reason": "so it is", "label": "neutral"})
    assert (score.value, score.label, score.passed) == (0.5, "neutral", False)


@pytest.mark.parametrize(
    ("labels", "mark", "label"),
    [
        ({"1": 0, "2": 0.5, "3": 1}, 2, "2"),
        ({"false": 0, "true": 1}, True, "true"),
        ({"False": 0, "True": 1}, True, "True"),
        ({"0.5": 0, "1.5": 1}, 1.5, "1.5"),
    ],
    ids=["a number", "a truth", "a truth with a capital", "a fraction"],
)
def test_mark_that_looks_like_no_text_names_a_label(labels: dict[str, float], mark: Any, label: str) -> None:
    rubric: Any = configure("rubric", options={"criteria": "x", "labels": labels, "pass_mark": mark}).function
    assert rubric.pass_mark == label
    assert rubric.own_threshold == labels[label]


@pytest.mark.parametrize("answer", ["Polite", " POLITE\n", "polite"])
def test_label_may_be_written_with_other_capitals_and_blanks(answer: str) -> None:
    score = ask(Rubric(criteria="x", labels={"rude": 0, "poLite": 1}).ask(RUN), {"reason": "", "label": answer})
    assert (score.value, score.label) == (1.0, "poLite")


def test_rubric_without_a_pass_mark_leaves_it_to_the_threshold() -> None:
    assert ask(Rubric(criteria="Is it polite?").ask(RUN), make_answer(3)).passed is None


@pytest.mark.parametrize(
    "answer",
    [{"reason": "", "label": "splendid"}, {"reason": "", "label": 1}, {"reason": ""}, make_answer(3)],
    ids=["unknown label", "a number for a label", "no label", "a score"],
)
def test_verdict_that_was_not_among_the_labels_is_none(answer: Any) -> None:
    with pytest.raises(BadAnswer):
        ask(Rubric(criteria="Is it polite?", labels=LABELS).ask(RUN), answer)


def test_criteria_may_hold_what_looks_like_a_placeholder() -> None:
    judge = Judge(make_answer(3))
    run_dialogue(Rubric(criteria="It costs $5, not $scale.").ask(RUN), judge)
    assert "It costs $5, not $scale." in judge.asked[0].instructions


def test_rubric_of_what_was_not_recorded_is_skipped() -> None:
    score = ask(Rubric(criteria="x", evidence=("reference.expected_response",)).ask(RUN))
    assert score.reason == "not recorded: reference.expected_response"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "rubric needs the option 'criteria': what is judged"),
        ({"criteria": "x", "labels": {"a": 1, "b": 0}, "scale": [1, 5]}, "both labels and a scale"),
        ({"criteria": "x", "labels": {"a": 1, "b": 0}, "levels": {9: "good"}}, "both labels and a scale"),
        ({"criteria": "x", "labels": {"a": 1}}, "only one label"),
        ({"criteria": "x", "labels": {"a": 1, "b": 7}}, "option 'labels.b' of rubric: it is 7"),
        ({"criteria": "x", "scale": [5, 1]}, "the worst score first"),
        ({"criteria": "x", "levels": {"9": "splendid"}}, r"option 'levels\.9' of rubric: the scale goes from 1 to 5"),
        ({"criteria": "x", "scale": [1, 5, 7]}, "option 'scale' of rubric: it has 3 entries; write 2 at most"),
        ({"criteria": "x", "scale": [True, 5]}, r"option 'scale\.0' of rubric: it is a boolean; write a whole number"),
        ({"criteria": "x", "labels": {"a": 0, " A": 1}}, "'a' and ' A' differ only by capitals or blanks"),
        ({"criteria": "x", "pass_mark": 9}, "write a whole number from 1 to 5"),
        ({"criteria": "x", "labels": LABELS, "pass_mark": "polit"}, r"did you mean 'polite'\?"),
        ({"criteria": "x", "labels": {"1": 0, "2": 1}, "pass_mark": 3}, "'3' is not one of the labels"),
        ({"criteria": "x", "pass_mark": True}, "option 'pass_mark' of rubric"),
        ({"criterai": "x"}, r"no option 'criterai' \(did you mean 'criteria'\?\)"),
    ],
    ids=[
        "no criteria",
        "labels and scale",
        "labels and levels",
        "one label",
        "a label worth too much",
        "a scale turned round",
        "a level off the scale",
        "a scale of three",
        "a truth for a score",
        "labels that are the same to people",
        "a mark off the scale",
        "a mark that is no label",
        "a number that is no label",
        "a truth for a mark",
        "a slip of the pen",
    ],
)
def test_rubric_that_cannot_be_is_refused_with_what_to_write(options: Any, why: str) -> None:
    with pytest.raises(WrongOptions, match=why):
        configure("rubric", options=options)
