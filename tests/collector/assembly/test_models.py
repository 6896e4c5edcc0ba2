from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import LlmCall

QUESTION = [agent_spans.text_message("user", "Where to?")]
ANSWER = [agent_spans.text_message("assistant", "Paris.")]


def calls(*spans: Span) -> tuple[LlmCall, ...]:
    [run] = assemble([agent_spans.agent(1, for_s=60), *spans])
    return run.llm_calls


def chat(number: int, **more: Any) -> Span:
    return agent_spans.chat(number, **{"parent": 1, "at_s": float(number), "hears": QUESTION, **more})


def test_call_that_asks_again_what_just_failed_is_a_retry() -> None:
    first, again = calls(chat(2, status_code="error", status_message="429"), chat(3, says=ANSWER))
    assert (first.is_retry, again.is_retry) == (False, True)


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(chat(2, says=ANSWER), id="succeeded"),
        pytest.param(
            chat(2, hears=[agent_spans.text_message("user", "When?")], status_code="error"), id="asked-something-else"
        ),
        pytest.param(chat(2, hears=None, status_code="error"), id="question-not-recorded"),
    ],
)
def test_other_calls_are_no_retries(first: Span) -> None:
    assert [call.is_retry for call in calls(first, chat(3, says=ANSWER))] == [False, False]


def test_two_records_of_one_response_at_the_same_time_are_one_call() -> None:
    same = {"gen_ai.response.id": "resp_1"}
    assert len(calls(chat(2, attributes=same), chat(3, at_s=2.1, attributes=same))) == 1


@pytest.mark.parametrize(
    ("scope", "at_s", "count"),
    [
        pytest.param("other.instrumentation", 2.1, 1, id="another-instrumentation"),
        pytest.param("other.instrumentation", 9.0, 2, id="another-time"),
        pytest.param(None, 2.1, 2, id="the-same-instrumentation"),
    ],
)
def test_call_by_two_instrumentations_counts_once(scope: str | None, at_s: float, count: int) -> None:
    found = calls(chat(2, says=ANSWER), chat(3, at_s=at_s, scope_name=scope))
    assert (len(found), sum(call.input_tokens or 0 for call in found)) == (count, 100 * count)


def test_response_id_that_comes_again_later_is_another_call() -> None:
    same = {"gen_ai.response.id": "resp_1"}
    assert len(calls(chat(2, attributes=same), chat(3, at_s=9, attributes=same))) == 2


def test_outer_of_two_nested_calls_fills_in_what_the_inner_does_not_tell() -> None:
    outer = agent_spans.span(
        2, parent=1, at_s=2, attributes={"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    )
    inner = agent_spans.span(
        3, parent=2, at_s=2, attributes={"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7}
    )
    [call] = calls(outer, inner)
    assert (call.request_model, call.input_tokens) == ("m", 7)


def test_tokens_of_a_call_around_several_are_counted_once() -> None:
    spent = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 90}
    outer = agent_spans.span(2, parent=1, at_s=2, for_s=9, attributes=spent)
    plain = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    inner = [agent_spans.span(number, parent=2, at_s=float(number), attributes=plain) for number in (3, 4)]
    assert [call.input_tokens for call in calls(outer, *inner)] == [90, None]


def test_three_records_of_one_call_are_one_call() -> None:
    nested = [chat(number, parent=number - 1, at_s=2.0, for_s=1.0) for number in (2, 3, 4)]
    assert len(calls(*nested)) == 1


def test_second_record_of_a_response_fills_in_what_the_first_does_not_tell() -> None:
    same = {"gen_ai.response.id": "resp_1"}
    counted = agent_spans.chat(2, parent=1, at_s=2, attributes={**same, "gen_ai.usage.input_tokens": 7})
    told = agent_spans.chat(3, parent=1, at_s=2.1, attributes=same, hears=QUESTION, says=ANSWER)

    [run] = assemble([agent_spans.agent(1), counted, told])

    assert [call.input_tokens for call in run.llm_calls] == [7]
    assert run.final_response == "Paris."


def test_prompt_of_a_call_is_that_of_its_run() -> None:
    named = chat(3, attributes={"gen_ai.prompt.name": "booking", "gen_ai.prompt.version": 3})
    [run] = assemble([agent_spans.agent(1, for_s=60), chat(2), named])
    assert [(call.prompt_name, call.prompt_version) for call in run.llm_calls] == [(None, None), ("booking", "3")]
    assert (run.prompt_name, run.prompt_version) == ("booking", "3")


def test_call_says_how_it_reasons_and_what_was_compacted() -> None:
    asked = {"gen_ai.request.reasoning.level": "high", "gen_ai.conversation.compacted": True}
    found = [(call.reasoning_level, call.is_compacted) for call in calls(chat(2), chat(3, attributes=asked))]
    assert found == [(None, None), ("high", True)]


def test_fetched_answer_is_that_of_its_call() -> None:
    fetching = {
        "gen_ai.operation.name": "fetch_response",
        "gen_ai.response.id": "resp_1",
        "gen_ai.output.messages": json.dumps(ANSWER),
    }
    fetched = agent_spans.span(3, parent=1, at_s=30.0, attributes=fetching)
    asked = chat(2, attributes={"gen_ai.response.id": "resp_1"})
    [run] = assemble([agent_spans.agent(1, for_s=60), asked, fetched])
    assert (len(run.llm_calls), run.final_response) == (1, "Paris.")


@pytest.mark.parametrize("own", [{"gen_ai.output.messages": json.dumps(ANSWER)}, {}], ids=["own", "of its call"])
def test_plan_is_a_reasoning_step(own: dict[str, str]) -> None:
    plan = agent_spans.span(2, parent=1, at_s=1, for_s=2, attributes={"gen_ai.operation.name": "plan", **own})
    [run] = assemble([agent_spans.agent(1, for_s=60), plan, chat(3, parent=2, at_s=1.5, says=ANSWER)])
    assert run.reasoning_steps == ("Paris.",)
    assert len(run.llm_calls) == 1


def test_answer_that_is_fetched_again_is_neither_call_nor_run() -> None:
    fetching = {"gen_ai.operation.name": "fetch_response", "gen_ai.response.id": "resp_1"}
    fetched = agent_spans.span(3, name="fetch_response", parent=1, at_s=3.0, attributes=fetching)
    asked = chat(2, attributes={"gen_ai.response.id": "resp_1"}, says=ANSWER)
    assert len(calls(asked, fetched)) == 1
    assert assemble([agent_spans.span(3, name="fetch_response", attributes=fetching)]) == []
