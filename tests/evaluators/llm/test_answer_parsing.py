"""An answer is what was asked for, or no verdict."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracegrade.evaluators.definition.dialogue import BadAnswer
from tracegrade.evaluators.llm.answer_parsing import REASON, SCORE, each_once, form, reader, without_bounds
from tracegrade.evaluators.llm.base import make_question
from tracegrade.evaluators.llm.evidence import Evidence

GRADE = form(reasoning=REASON, score=SCORE)
GOOD = {"reasoning": "well {done}", "score": 0.5}
WRITTEN = json.dumps(GOOD)
HARMONY_ANSWER = "<|start|>assistant<|channel|>final <|constrain|>json<|message|>"


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"  \n{WRITTEN}\n",
        f"```json\n{WRITTEN}\n```",
        f"Here you are:\n```\n{WRITTEN}\n```\nAnything else?",
        f"Sure! {WRITTEN} I hope this helps.",
        f"[1] As you asked: {WRITTEN} (see [1] above)",
        f'<think>perhaps {{"score": 1}}</think>\n{WRITTEN}',
        f"perhaps {{1}}</think>{WRITTEN}",
        f"<thinking>perhaps {WRITTEN.replace('0.5', '0.1')}?</thinking>{WRITTEN}",
        f'<think>"a</think>\n<think>{WRITTEN}</think>\n{WRITTEN}',
        f"[THINK]{WRITTEN}[/THINK]{WRITTEN}",
        "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>"
        + WRITTEN,
        f'analysisThey want {{"score": 1}}.assistantfinal{WRITTEN}',
        f"I fill in {{reasoning, score}}: {WRITTEN}",
        f'In the form {{"score": number}}: {WRITTEN}',
        f'{{"tool": {{"score": 1}}}} is what it called. {WRITTEN} And {{"reasoning": NaN, "x": {WRITTEN}}}.',
        f"Such as {WRITTEN}:\n```json\n{WRITTEN}\n```",
    ],
    ids=[
        "bare",
        "with white space",
        "fenced",
        "fenced in prose",
        "in prose",
        "in prose with brackets",
        "after thinking aloud",
        "after the end of it",
        "after an object that was only thought",
        "after two thoughts",
        "after Mistral's thoughts",
        "in the final channel of harmony",
        "in harmony without its tokens",
        "after braces in prose",
        "after a form that is no JSON",
        "between objects of other forms",
        "in the only fence",
    ],
)
def test_answer_is_read_whatever_it_is_wrapped_in(text: str) -> None:
    assert reader(GRADE)(text) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot judge this.",
        "0.7",
        '"1.0"',
        "[0.7]",
        '{"reasoning": "cut off", "sco',
        '{"reasoning": "cut off in the list", "score": [{"score": 1}',
        f"{WRITTEN} {WRITTEN}",
        f"[{WRITTEN}]",
        f'["x", {WRITTEN}]',
        f"```json\n[\n{WRITTEN}\n]\n```",
        f"Here you are: [{WRITTEN}",
        f"```json\n{WRITTEN}\n```\n```json\n{WRITTEN}\n```",
        '{"reasoning": "x", "score": NaN}',
        '{"reasoning": "x", "score": Infinity}',
        '{"reasoning": "x", "score": 1e999}',
        '{"reasoning": "x", "score": 7}',
        '{"reasoning": "x", "score": -0.1}',
        '{"reasoning": "x", "score": "9/10"}',
        '{"reasoning": "x", "score": "90%"}',
        '{"reasoning": "x", "score": "1.9"}',
        '{"reasoning": "x", "score": "NaN"}',
        '{"reasoning": "x", "score": "high"}',
        '{"reasoning": "x", "score": ""}',
        '{"reasoning": "x", "score": true}',
        '{"reasoning": "x", "score": null}',
        '{"reasoning": "x"}',
        '{"reasoning": ["x"], "score": 1}',
        '{"reasoning": "x", "score": 0, "score": 1}',
        "{'reasoning': 'x', 'score': 1}",
        '{"reasoning": "\\ud800", "score": 1}',
        '{"reasoning": "x", "score": ' + "9" * 5_000 + "}",
        '{"a":' * 50_000,
        f"<think>{WRITTEN}",
        f"{WRITTEN} or {WRITTEN.replace('0.5', '0.9')}",
        '{"reasoning": "x", "parts": {"reasoning": "y", "score": 1}',
        "{" * 60_000 + WRITTEN,
    ],
    ids=[
        "empty",
        "a refusal",
        "a bare number",
        "a bare text",
        "a list",
        "truncated",
        "truncated behind something that fits",
        "two objects",
        "in a list",
        "in a list with something else",
        "in a fenced list",
        "in a list that is truncated",
        "two fences",
        "not a number",
        "infinite",
        "too large for a float",
        "above the range",
        "below the range",
        "a fraction as text",
        "a percentage",
        "a number as text, above the range",
        "not a number, as text",
        "a word for a number",
        "empty text for a number",
        "a truth for a number",
        "null",
        "without the score",
        "reasons of another kind",
        "two scores",
        "no JSON",
        "half a character",
        "a number without end",
        "nested without end",
        "a thought without end",
        "two answers",
        "truncated around something that fits",
        "behind very many braces",
    ],
)
def test_anything_else_is_no_verdict_and_kept_as_it_came(text: str) -> None:
    with pytest.raises(BadAnswer) as refusal:
        reader(GRADE)(text)
    assert refusal.value.answer == text
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    "reasoning",
    ["It ran ```bash\nls\n``` and ```python\nprint('{}')\n```", "It wrote </think> and [/THINK] {Paris}"],
    ids=["fences", "marks of thought"],
)
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "<think>hm</think>{}"], ids=["bare", "fenced", "thought"])
def test_marks_within_the_answer_belong_to_it(reasoning: str, around: str) -> None:
    answer = {"reasoning": reasoning, "score": 0.7}
    assert reader(GRADE)(around.replace("{}", json.dumps(answer))) == answer


EVERYTHING = form(
    score=SCORE, mark={"type": "integer"}, passed={"type": "boolean"}, tasks={"type": "array", "items": GRADE}
)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"score": "0.8"}, {"score": 0.8}),
        ({"score": " 1 "}, {"score": 1}),
        ({"mark": "4"}, {"mark": 4}),
        ({"passed": "True"}, {"passed": True}),
        ({"passed": "false"}, {"passed": False}),
        ({"tasks": [{"reasoning": "1", "score": "0.5"}]}, {"tasks": [{"reasoning": "1", "score": 0.5}]}),
    ],
    ids=["number", "number among blanks", "whole number", "truth", "untruth", "number in a list, beside text"],
)
def test_number_or_truth_that_is_written_as_text_is_read(written: dict[str, Any], read: dict[str, Any]) -> None:
    good = {"score": 0, "mark": 1, "passed": True, "tasks": []}
    assert reader(EVERYTHING)(json.dumps(good | written)) == good | read


def test_field_that_was_not_asked_for_is_left_out() -> None:
    assert reader(GRADE)(json.dumps(GOOD | {"confidence": 0.9})) == GOOD
    tasks = form(tasks={"type": "array", "items": GRADE})
    assert reader(tasks)(json.dumps({"tasks": [GOOD | {"id": 1}], "id": 2})) == {"tasks": [GOOD]}


def test_number_beyond_all_floats_is_said_to_be_too_large() -> None:
    with pytest.raises(BadAnswer, match="its JSON cannot be read: 1e999 is too large a number"):
        reader(GRADE)('{"reasoning": "x", "score": 1e999}')


@given(st.text() | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists).map(json.dumps))
def test_no_answer_raises_anything_but_a_bad_answer(text: str) -> None:
    with suppress(BadAnswer):
        assert set(reader(GRADE)(text)) == {"reasoning", "score"}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ([2, 1], None),
        ([1], "it judges task 1; it was asked for 1, 2"),
        ([1, 1], "it judges task 1, 1; it was asked for 1, 2"),
        ([1, 2, 3], "it judges task 1, 2, 3; it was asked for 1, 2"),
        ([], "it judges task none; it was asked for 1, 2"),
    ],
    ids=["in another order", "one too few", "one twice", "one too many", "none"],
)
def test_each_number_stands_there_once(told: list[int], why: str | None) -> None:
    verdicts: list[dict[str, Any]] = [{"task": number} for number in told]
    assert each_once("task", (1, 2))(verdicts) == why


LONG = {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "minLength": 1, "maxLength": 3}}
BOUNDED = form(steps=LONG, score={"type": "integer", "minimum": 1, "maximum": 5})


def test_bounds_are_held_when_reading_and_not_sent() -> None:
    free = form(steps={"type": "array", "items": {"type": "string"}}, score={"type": "integer"})
    assert make_question("goal_achievement", Evidence("", ()), BOUNDED).form == free


@pytest.mark.parametrize(
    "fields",
    [
        {"steps": []},
        {"steps": ["a", "b", "c"]},
        {"steps": [""]},
        {"steps": ["long"]},
        {"score": 0},
        {"score": 6},
    ],
    ids=["too few", "too many", "too short", "too long", "too low", "too high"],
)
def test_answer_beyond_a_bound_that_was_not_sent_is_no_verdict(fields: dict[str, Any]) -> None:
    read = make_question("goal_achievement", Evidence("", ()), BOUNDED).read
    good = {"steps": ["a"], "score": 1}
    assert read(json.dumps(good)) == good
    with pytest.raises(BadAnswer):
        read(json.dumps(good | fields))


def test_field_that_has_the_name_of_a_bound_is_no_bound() -> None:
    assert without_bounds(form(minimum={"type": "number", "minimum": 0})) == form(minimum={"type": "number"})
