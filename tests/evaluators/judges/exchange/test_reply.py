from __future__ import annotations

from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.judge_jobs import make_judge, make_question

from tracegrade.evaluators.definition.dialogue import Token
from tracegrade.evaluators.judges.exchange.reply import NoCompletion, Reply
from tracegrade.evaluators.judges.exchange.request import Request

ASKED = Request(make_judge("http://127.0.0.1:1/v1", max_output_tokens=50), make_question("x" * 23))
SCRAPS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
ANYTHING = st.recursive(SCRAPS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))


def completion(**said: Any) -> dict[str, Any]:
    choice = {"finish_reason": "stop", "message": {"content": "yes"}} | said
    return {"model": "judge-1", "choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}


@given(st.dictionaries(st.sampled_from(["model", "choices", "usage"]), ANYTHING) | ANYTHING)
def test_whatever_a_server_sends_is_a_completion_or_none(told: Any) -> None:
    with suppress(NoCompletion):
        Reply.of_completion(told, model="asked")


@given(st.dictionaries(st.sampled_from(["finish_reason", "logprobs", "message"]), ANYTHING), ANYTHING)
def test_whatever_stands_in_a_choice_becomes_text_and_counts(choice: dict[str, Any], usage: Any) -> None:
    told = completion(**choice) | {"usage": usage}
    with suppress(NoCompletion):
        reply = Reply.of_completion(told, model="asked")
        assert isinstance(reply.text, str)
        assert reply.input_tokens is None or reply.input_tokens >= 0


def test_text_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "y"}, {"type": "text", "text": "es"}]
    assert Reply.of_completion(completion(message={"content": parts}), model="asked").text == "yes"


@pytest.mark.parametrize(
    ("logprobs", "tokens"),
    [
        ({"content": [{"token": "4", "logprob": 0.0, "top_logprobs": []}]}, (Token("4", {"4": 1.0}),)),
        ({"content": [{"token": "4", "logprob": 1e9}]}, (Token("4", {"4": 1.0}),)),
        ({"content": [{"token": "4", "logprob": None}]}, (Token("4", {"4": 0.0}),)),
        ({"content": None}, ()),
        (None, ()),
    ],
    ids=["no alternatives", "more than certain", "not told", "no tokens", "none"],
)
def test_probabilities_are_between_none_and_certain(logprobs: Any, tokens: tuple[Token, ...]) -> None:
    assert Reply.of_completion(completion(logprobs=logprobs), model="asked").tokens == tokens


def test_what_is_kept_comes_back_the_same() -> None:
    tokens = [{"token": "4", "logprob": -0.1, "top_logprobs": [{"token": "4", "logprob": -0.1}]}]
    reply = Reply.of_completion(completion(logprobs={"content": tokens}), model="asked")
    again = Reply.of_kept(orjson.loads(orjson.dumps(reply.kept)))
    assert again is not None
    assert (again.text, again.model, again.tokens) == (reply.text, reply.model, reply.tokens)


def test_what_is_not_kept_any_more_is_none() -> None:
    assert Reply.of_kept(None) is None
    assert Reply.of_kept({}) is None


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ({"content": None, "tool_calls": [{"function": {"name": "score"}}]}, "it answered by calling a tool"),
        ({"content": "", "function_call": {"name": "score"}}, "it answered by calling a tool"),
        ({"content": "", "reasoning_content": "Let me see: 7"}, "it answered without text"),
    ],
    ids=["tool calls", "function call", "thoughts"],
)
def test_message_without_text_is_no_answer_and_is_kept_whole(message: dict[str, Any], fault: str) -> None:
    reply = Reply.of_completion(completion(message=message), model="asked")
    assert (orjson.loads(reply.text), reply.fault) == (message, fault)
    assert Reply.of_kept(reply.kept) == Reply(text=reply.text, model="judge-1", fault=fault)


@pytest.mark.parametrize(
    "message",
    [{"content": "yes", "tool_calls": [{"id": 1}]}, {"content": "", "tool_calls": []}, {"content": "", "refusal": ""}],
    ids=["text beside it", "no tool calls", "no refusal"],
)
def test_text_is_the_answer_whatever_stands_beside_it(message: dict[str, Any]) -> None:
    reply = Reply.of_completion(completion(message=message), model="asked")
    assert (reply.text, reply.fault) == (message["content"], None)


def test_message_that_json_cannot_say_is_no_answer_either() -> None:
    reply = Reply.of_completion(completion(message={"content": None, "tool_calls": [2**70]}), model="asked")
    assert (reply.text, reply.fault) == ("a message with 'content', 'tool_calls'", "it answered by calling a tool")


def test_only_what_nobody_counted_is_estimated() -> None:
    counted = Reply(text="four", model="m", input_tokens=3, output_tokens=1)
    assert counted.estimated(ASKED) == counted
    half = Reply(text="four", model="m", input_tokens=3).estimated(ASKED)
    none = Reply(text="four", model="m").estimated(ASKED)
    unread = Reply(text="", model="m").estimated(ASKED)
    assert [(one.input_tokens, one.output_tokens) for one in (half, none, unread)] == [(3, 2), (9, 2), (9, 50)]
    assert none.kept["estimated"] is True


@pytest.mark.parametrize(
    ("usage", "took"),
    [
        ({"prompt_tokens": "100", "completion_tokens": "10"}, (100, 10, False)),
        ({"prompt_tokens": 100.0, "completion_tokens": 10.0}, (100, 10, False)),
        ({"total_tokens": 40}, (9, 31, True)),
        ({"completion_tokens": 10, "total_tokens": 40}, (30, 10, True)),
        ({"prompt_tokens": 5, "total_tokens": 40}, (5, 35, True)),
        ({"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 40}, (5, 35, False)),
        ({"prompt_tokens": 5, "completion_tokens": 10, "total_tokens": 2}, (5, 10, False)),
        ({"prompt_tokens": 5_900, "completion_tokens": 1}, (5_900, 1, False)),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, (9, 1, True)),
        ({"prompt_tokens": 5_901, "completion_tokens": 2**52}, (9, 1, True)),
        ({"prompt_tokens": -5, "completion_tokens": 1.5, "total_tokens": 2**52}, (9, 1, True)),
        ({"prompt_tokens": True, "completion_tokens": "9" * 40}, (9, 1, True)),
    ],
    ids=str,
)
def test_counts_are_taken_in_any_form_unless_nobody_can_believe_them(
    usage: dict[str, Any], took: tuple[int, int, bool]
) -> None:
    reply = Reply.of_completion(completion() | {"usage": usage}, model="asked").estimated(ASKED)
    assert (reply.input_tokens, reply.output_tokens, reply.is_estimated) == took


@pytest.mark.parametrize(
    ("choice", "usage", "fault"),
    [
        ({"finish_reason": "length"}, None, "it was cut off; raise max_output_tokens of the judge"),
        ({"index": 0}, {"completion_tokens": 7}, "it answered without a message"),
    ],
    ids=["cut off", "counted"],
)
def test_choice_without_a_message_is_no_answer_and_is_kept_whole(choice: Any, usage: Any, fault: str) -> None:
    reply = Reply.of_completion({"choices": [choice], "usage": usage}, model="asked")
    assert (orjson.loads(reply.text), reply.fault) == (choice, fault)


@pytest.mark.parametrize("choices", [[], None, [None], [{}], [{"index": 0}]], ids=str)
def test_what_is_no_completion_tells_what_it_took(choices: Any) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4} if not choices else None
    with pytest.raises(NoCompletion) as raised:
        Reply.of_completion({"choices": choices, "usage": usage}, model="asked")
    assert (raised.value.took.input_tokens, raised.value.took.output_tokens) == ((3, 4) if usage else (None, None))
