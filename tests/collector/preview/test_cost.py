"""What a judge would be asked, and what that costs, before it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest
from tests.support.judge_jobs import ask_side_by_side, make_judge, make_llm_evaluator, make_question, make_run
from tests.support.score_rows import make_judge_call

from tracegrade.collector.preview.cost import Cost, Estimate
from tracegrade.evaluators.definition.dialogue import Dialogue, Question
from tracegrade.evaluators.judges.exchange.request import Request
from tracegrade.evaluators.model import Score
from tracegrade.evaluators.ports import JudgeCall

JUDGE = make_judge(
    "http://127.0.0.1:9/v1",
    max_output_tokens=100,
    prices={"input_usd_per_million": 1e6, "output_usd_per_million": 1e6},
)


def knowing(*questions: Question, text: str = json.dumps({"score": 1.0})) -> Callable[[Collection[str]], Any]:
    """A look-up that has this answer to these questions, and to no other."""
    calls: dict[str, JudgeCall] = {}
    for number, entry in enumerate(questions):
        hash_ = Request.of(JUDGE, entry).request_hash
        calls[hash_] = make_judge_call(number, request_hash=hash_, response={"text": text, "model": "judge-1"})
    return lambda hashes: {hash_: calls[hash_] for hash_ in hashes if hash_ in calls}


def nothing(_: Collection[str]) -> Mapping[str, JudgeCall]:
    return {}


def cost(
    dialogue: Callable[[Any], Dialogue],
    lookup: Callable[[Collection[str]], Any] = nothing,
    *,
    runs: int = 1,
    usual: float | None = None,
) -> Cost:
    estimate = Estimate(make_llm_evaluator(dialogue), JUDGE, lookup)
    estimate.add([make_run(number) for number in range(runs)])
    return estimate.compute_cost(usual)


def of_each(run: Any) -> Dialogue:
    """One question about each run, which differs."""
    (answer,) = yield [make_question(run.final_response)]
    return Score(value=answer.value)


def in_steps(_: Any) -> Dialogue:
    """A second question that follows from the answer to the first."""
    yield [make_question("first")]
    (answer,) = yield [make_question("second")]
    return Score(value=answer.value)


def persistent(_: Any) -> Dialogue:
    """Asks otherwise where the first answer cannot be used."""
    try:
        yield [make_question("first")]
    except ValueError:
        yield [make_question("otherwise")]
    return Score(value=1.0)


def test_questions_are_counted_with_their_tokens_and_what_they_cost() -> None:
    estimate = cost(of_each, runs=3, usual=10.4)
    assert (estimate.questions, estimate.known, estimate.most_output_tokens, estimate.output_tokens) == (3, 0, 300, 31)
    assert estimate.input_tokens > 0
    assert estimate.usd == pytest.approx(estimate.input_tokens + 31)
    assert estimate.most_usd == pytest.approx(estimate.input_tokens + 300)


def test_answers_are_never_expected_to_be_longer_than_they_may_be() -> None:
    assert cost(of_each, usual=5_000.0).output_tokens == 100


def test_judge_that_has_answered_nothing_yet_has_no_usual_cost() -> None:
    estimate = cost(of_each)
    assert (estimate.output_tokens, estimate.usd) == (None, None)


def test_same_question_of_two_runs_counts_once() -> None:
    assert cost(ask_side_by_side(make_question("same"), make_question("other")), runs=2).questions == 2


def test_question_that_is_answered_already_costs_nothing() -> None:
    estimate = cost(of_each, knowing(make_question("answer 0")), runs=2)
    assert (estimate.questions, estimate.known) == (1, 1)


def test_dialogue_is_followed_as_far_as_answers_are_known() -> None:
    assert cost(in_steps).questions == 1
    estimate = cost(in_steps, knowing(make_question("first")))
    assert (estimate.questions, estimate.known) == (1, 1)
    estimate = cost(in_steps, knowing(make_question("first"), make_question("second")))
    assert (estimate.questions, estimate.known, estimate.most_usd) == (0, 2, 0.0)


def test_known_answer_that_cannot_be_used_is_told_to_the_dialogue() -> None:
    estimate = cost(persistent, knowing(make_question("first"), text="no score"))
    assert (estimate.questions, estimate.known) == (1, 1)


def failing_at_once(_: Any) -> Dialogue:
    raise ValueError("no such thing")
    yield []


def no_questions(_: Any) -> Dialogue:
    return Score(status="skipped", reason="nothing to ask")
    yield []


def odd(_: Any) -> Any:
    yield ["not a question"]


@pytest.mark.parametrize("dialogue", [failing_at_once, no_questions, odd], ids=["fails", "skips", "yields no question"])
def test_run_that_leads_to_no_question_costs_nothing(dialogue: Callable[[Any], Dialogue]) -> None:
    assert (cost(dialogue).questions, cost(dialogue).most_usd) == (0, 0.0)
