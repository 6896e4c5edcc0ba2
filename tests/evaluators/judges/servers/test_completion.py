"""What a server sends with 200 is an answer, an error or neither; whatever it is, what it took is booked."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import orjson
import pytest
from tests.support.judge_jobs import Clock, Memory, make_judge, make_llm_evaluator, make_pass, make_run, run_judge
from tests.support.llm import Reply, llm

from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.judges.servers.completion import json_in, reply_of

USAGE = {"prompt_tokens": 100, "completion_tokens": 2_000}
CHOICE = {"finish_reason": "stop", "message": {"content": '{"score": 0.8}'}}
ANSWER = {"model": "judge-1", "choices": [CHOICE], "usage": USAGE}
SSE = b"data: " + orjson.dumps(ANSWER) + b"\n\ndata: [DONE]\n\n"
NO_CHOICE = orjson.dumps({**ANSWER, "choices": []})
PRICES = {"input_usd_per_million": 1_000, "output_usd_per_million": 1_000}


def raw(said: Any) -> Reply:
    return Reply(raw=said if isinstance(said, bytes) else orjson.dumps(said))


def patiently(asked: Judge, *, times: int, memory: Memory | None = None) -> Any:
    """The scores of so many jobs of one engine, an hour apart."""
    clock, memory = Clock(), memory if memory is not None else Memory()

    async def ask() -> Any:
        engine = Engine("default", asked, memory, now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
        for _ in range(times):
            clock.passed_s += 3_600
            found = await engine.ask(make_pass(clock), [(make_llm_evaluator(), make_run())], {})
        await engine.close()
        return found.scores

    return asyncio.run(ask())


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + orjson.dumps(ANSWER),
        json.dumps({**ANSWER, "extra": float("nan")}).encode(),
        orjson.dumps(ANSWER).replace(b'"judge-1"', b'"caf\xe9"'),
        orjson.dumps(ANSWER).replace(b'"judge-1"', b'"be\\ud800cause"'),
    ],
    ids=["byte order mark", "NaN", "latin-1", "half a character"],
)
def test_json_that_is_not_quite_right_is_an_answer(body: bytes) -> None:
    memory = Memory()
    with llm(lambda _: raw(body)) as server:
        (score,) = run_judge(make_judge(server), memory=memory).scores
        assert len(server.asked) == 1
    assert (score.value, memory.calls[0].output_tokens) == (0.8, 2_000)
    memory.calls[0].model.encode()  # a lone surrogate could not be stored


def test_json_that_is_nested_without_end_is_none() -> None:
    with pytest.raises(ValueError, match=r"nested too deeply|recursion"):
        json_in(b"[" * 200_000)


@pytest.mark.parametrize(
    ("body", "took"),
    [
        (NO_CHOICE, (200, 4_000)),
        (orjson.dumps({**ANSWER, "choices": None}), (200, 4_000)),
        (SSE, (10, 4_000)),
        (b"", (10, 4_000)),
        (b'{"status": "ok"}', (10, 4_000)),
    ],
    ids=["no choice", "null", "server-sent events", "nothing", "other JSON"],
)
def test_what_is_no_completion_is_booked_as_counted_or_estimated(body: bytes, took: tuple[int, int]) -> None:
    memory = Memory()
    with llm(lambda _: raw(body)) as server:
        (waiting,) = run_judge(make_judge(server, prices=PRICES), memory=memory).deferred
        assert len(server.asked) == 2
    (call,) = memory.calls
    assert (call.status, call.input_tokens, call.output_tokens) == ("error", *took)
    assert call.cost_usd == pytest.approx(sum(took) / 1e3)
    assert (call.response == {"estimated": True}) == (took[0] == 10)
    assert "does not answer with a chat completion" in waiting.reason
    assert waiting.kind == "judge_unexpected"


def test_budget_ends_the_asking_of_what_is_paid_for_and_never_answered() -> None:
    memory = Memory()
    with llm(lambda _: raw(NO_CHOICE)) as server:
        for _ in range(5):
            found = run_judge(make_judge(server, tokens_per_day=2_000), memory=memory, spent=memory.spent)
        assert len(server.asked) == 1
    assert "has spent its 2,000 tokens" in found.deferred[0].reason


def test_question_whose_answers_cannot_be_read_is_an_error_the_third_time() -> None:
    with llm(lambda _: raw(NO_CHOICE)) as server:
        (score,) = patiently(make_judge(server), times=3)
        assert len(server.asked) <= 6
    assert "does not answer with a chat completion" in (score.reason or "")
    assert (score.reason or "").endswith(", 3 times")


def test_page_in_place_of_an_answer_costs_nothing_and_is_never_held_against_a_question() -> None:
    memory = Memory()
    with llm(lambda _: raw(b" <html>please log in")) as server:
        assert patiently(make_judge(server), times=5, memory=memory) == []
    assert {(call.input_tokens, call.cost_usd) for call in memory.calls} == {(None, None)}


def test_what_was_paid_for_in_vain_is_booked_with_the_answer_that_came_at_last() -> None:
    replies = [raw(ANSWER), raw(NO_CHOICE)]
    memory = Memory()
    with llm(lambda _: replies.pop()) as server:
        (score,) = run_judge(make_judge(server), memory=memory).scores
    (call,) = memory.calls
    assert (score.value, call.input_tokens, call.output_tokens) == (0.8, 200, 4_000)


@pytest.mark.parametrize(
    ("reply", "settings"),
    [
        (Reply(raw=gzip.compress(orjson.dumps(ANSWER)), headers={"content-encoding": "gzip"}), {}),
        (Reply(endless=True), {"timeout_s": 0.1}),
    ],
    ids=["compressed", "without end"],
)
def test_answer_that_began_and_was_not_read_is_booked_with_the_most_it_may_take(
    reply: Reply, settings: dict[str, Any]
) -> None:
    memory = Memory()
    with llm(lambda _: reply) as server:
        run_judge(make_judge(server, **settings), memory=memory)
        posts = len(server.asked)
    (call,) = memory.calls
    assert (call.status, call.input_tokens, call.output_tokens) == ("error", 5 * posts, 2_000 * posts)


def test_line_of_a_batch_that_is_no_completion_is_booked_too() -> None:
    memory = Memory()
    with llm(lambda _: raw(NO_CHOICE)) as server:
        run_judge(make_judge(server, mode="batch"), memory=memory)
        server.work_off()
        (score,) = run_judge(make_judge(server, mode="batch"), memory=memory).scores
    (call,) = memory.calls
    assert (score.status, call.status, call.output_tokens) == ("error", "error", 2_000)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"error": {"message": "Rate limit exceeded", "code": 429}}, "is busy: 429: Rate limit exceeded"),
        ({"error": {"message": "no such model", "code": "model_not_found"}}, "answers 502: no such model"),
        ({"error": "overloaded"}, "answers 502: overloaded"),
        (
            {"choices": [{**CHOICE, "finish_reason": "error", "error": {"code": 502, "message": "upstream died"}}]},
            "answers 502: upstream died",
        ),
        ({"choices": [{**CHOICE, "finish_reason": "error"}]}, "answers 502: an error instead of an answer"),
    ],
    ids=["busy", "a code in words", "text", "of a choice", "without words"],
)
def test_error_in_an_answer_is_no_answer(said: Any, told: str) -> None:
    memory = Memory()
    with llm(lambda _: raw(said)) as server:
        (waiting,) = run_judge(make_judge(server), memory=memory).deferred
    assert told in waiting.reason
    assert {call.input_tokens for call in memory.calls} == {None}


@pytest.mark.parametrize("mode", ["live", "batch"])
def test_key_that_an_answer_repeats_is_kept_nowhere(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very/secret")
    memory = Memory()
    said = {**ANSWER, "model": "Bearer sk-very/secret", "choices": [{"message": {"content": "it is sk-very/secret"}}]}
    body = orjson.dumps(said).replace(b"/", b"\\/")

    def job(asked: Judge) -> Any:
        return run_judge(asked, memory=memory)

    with llm(lambda _: raw(body)) as server:
        asked = make_judge(server, api_key_env="JUDGE_KEY", mode=mode)
        job(asked)
        server.work_off()
        found = job(asked)
    assert (memory.calls[0].model, (memory.calls[0].response or {})["text"]) == ("Bearer ***", "it is ***")
    assert "sk-very" not in repr(found) + repr(memory.calls)


def test_word_that_stands_for_no_key_is_a_word_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "score")
    asked = make_judge("http://127.0.0.1:1/v1", api_key_env="JUDGE_KEY")
    assert reply_of(asked, {"choices": [CHOICE]}).text == '{"score": 0.8}'
