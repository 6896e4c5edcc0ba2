"""What cannot run now waits: it is no error, and no zero."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.support.judge_jobs import (
    Clock,
    Memory,
    ask_side_by_side,
    make_judge,
    make_llm_evaluator,
    make_question,
    make_run,
    run_judge,
)
from tests.support.llm import Asked, Reply, llm, nowhere

from tracegrade.evaluators.definition.registry import Budget
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.ports import EvaluationPass, Spent

WELL = Reply(text='{"score": 0.8}')
MANY = [(make_llm_evaluator(), make_run(number)) for number in range(100)]
MIDNIGHT = datetime(2026, 3, 2)  # noqa: DTZ001 - UTC, as in the store


def after(*replies: Reply) -> Callable[[Asked], Reply]:
    """These in order, and then what is well."""
    left: Iterator[Reply] = iter(replies)
    return lambda _: next(left, WELL)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500, text="oh"),
        Reply(status=503, text="overloaded"),
        Reply(status=429, text="slow down"),
        Reply(status=408, text="late"),
        Reply(status=409, text="conflict"),
        Reply(drops=True),
    ],
    ids=["500", "503", "429", "408", "409", "connection dropped"],
)
def test_what_passes_is_tried_again_after_a_pause(reply: Reply) -> None:
    clock, memory = Clock(), Memory()
    with llm(after(reply, reply)) as server:
        (score,) = run_judge(make_judge(server), clock=clock, memory=memory).scores
        assert len(server.asked) == 3
    assert score.value == 0.8
    assert len(clock.slept_s) == 2
    assert 0 < clock.passed_s < 5
    assert memory.statuses == ["ok"]
    assert (memory.calls[0].response or {})["attempts"] == 3


@pytest.mark.parametrize("raw", [b"<html>a proxy's page</html>", b'{"choices": []}'], ids=["no JSON", "no choice"])
def test_what_is_no_answer_and_may_have_been_paid_for_is_asked_for_twice(raw: bytes) -> None:
    strange = Reply(raw=raw)
    with llm(after(strange)) as server:
        (score,) = run_judge(make_judge(server)).scores
        assert len(server.asked) == 2
    assert score.value == 0.8
    with llm(lambda _: strange) as server:
        assert len(run_judge(make_judge(server)).deferred) == 1
        assert len(server.asked) == 2


def test_answer_that_is_late_is_waited_for_twice_and_then_later() -> None:
    memory = Memory()
    with llm(lambda _: Reply(text="x", delay_s=5)) as server:
        found = run_judge(make_judge(server, timeout_s=0.1), memory=memory)
        assert len(server.asked) == 2
    (waiting,) = found.deferred
    assert "judge 'default' cannot be reached: " in waiting.reason
    assert "gave no answer within 0.1 s" in waiting.reason
    assert memory.statuses == ["error"]
    assert (memory.calls[0].error or "").endswith(" (after 2 attempts)")
    assert found.scores == []


def test_pause_that_the_server_asks_for_holds_for_everybody() -> None:
    clock = Clock()
    asked_at: list[float] = []
    replies = after(WELL, Reply(status=429, text="slow down", headers={"retry-after": "20"}))

    def script(asked: Asked) -> Reply:
        asked_at.append(clock.passed_s)
        return replies(asked)

    with llm(script) as server:
        found = run_judge(make_judge(server, concurrency=1), MANY[:10], clock=clock)
    assert len(found.scores) == 10
    assert asked_at[:2] == [0, 0]
    assert all(at >= 20 for at in asked_at[2:])


def test_long_pause_that_the_server_asks_for_puts_everybody_off() -> None:
    memory = Memory()
    busy = Reply(status=429, text="come back", headers={"retry-after": "3600"})
    with llm(lambda _: busy) as server:
        found = run_judge(make_judge(server), MANY, memory=memory)
        assert len(server.asked) == 1
    assert len(found.deferred) == 100
    assert {waiting.until.hour for waiting in found.deferred} == {13}
    assert found.deferred[0].reason == "judge 'default' is busy: 429: come back"
    assert found.deferred[0].kind == "judge_busy"
    assert memory.statuses == ["error"]


def test_server_that_stays_busy_is_not_waited_for_all_day() -> None:
    clock = Clock()
    with llm(lambda _: Reply(status=503, text="busy", headers={"retry-after": "30"})) as server:
        found = run_judge(make_judge(server, concurrency=64), MANY, clock=clock)
        assert len(server.asked) == 9
    assert len(found.deferred) == 100
    assert clock.passed_s < 600
    assert found.deferred[0].reason == "judge 'default' is busy: 503: busy"


def test_server_that_is_down_is_asked_a_few_times_and_the_rest_waits() -> None:
    memory = Memory()
    with llm(lambda _: Reply(status=500, text="oh")) as server:
        found = run_judge(make_judge(server, concurrency=64), MANY, memory=memory)
        assert len(server.asked) == 3
    assert len(found.deferred) == 100
    (reason,) = {waiting.reason for waiting in found.deferred}
    assert reason == f"judge 'default' cannot be reached: {server.url} answers 500: oh"
    assert set(memory.statuses) == {"error"}


def test_server_that_goes_down_under_way_keeps_what_it_answered() -> None:
    replies = after(*[WELL] * 20, *[Reply(status=500, text="oh")] * 1_000)
    with llm(replies) as server:
        found = run_judge(make_judge(server), MANY)
        assert len(server.asked) < 60
    assert len(found.scores) == 20
    assert len(found.deferred) == 80


def test_when_the_time_is_up_one_tries_and_when_that_goes_well_all_do() -> None:
    clock = Clock()
    replies = after(*[Reply(status=500, text="oh")] * 4)

    async def jobs(url: str) -> list[tuple[int, int]]:
        engine = Engine(
            "default", make_judge(url), Memory(), now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep
        )
        found = []
        for pause_s in (0, 10, 30, 30, 40):
            clock.passed_s += pause_s
            findings = await engine.ask(EvaluationPass(id="1", started_at=clock.now()), MANY, {})
            found.append((len(server.asked), len(findings.scores)))
        await engine.close()
        return found

    with llm(replies) as server:
        asked_and_answered = asyncio.run(jobs(server.url))
    assert asked_and_answered == [(3, 0), (3, 0), (4, 0), (4, 0), (104, 100)]


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (Reply(status=401, text="Incorrect API key"), "put a valid one into JUDGE_KEY"),
        (Reply(status=403, text="not for you"), "put a valid one into JUDGE_KEY"),
        (Reply(status=404, text="The model `judge-1` does not exist"), "there is no model 'judge-1'"),
        (Reply(status=404, text="gone", error_code="model_not_found"), "correct `model`"),
        (Reply(status=404, text="Not Found"), "correct `base_url`"),
        (Reply(status=307, headers={"location": "http://elsewhere"}), "correct `base_url`"),
        (Reply(status=429, text="You exceeded", error_code="insufficient_quota"), "no credit left"),
    ],
    ids=["wrong key", "forbidden", "unknown model", "its code", "wrong path", "redirect", "no credit"],
)
def test_wrong_setting_costs_one_call_and_says_who_must_do_what(
    reply: Reply, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-1")
    memory, clock = Memory(), Clock()
    with llm(lambda _: reply) as server:
        found = run_judge(
            make_judge(server, api_key_env="JUDGE_KEY", concurrency=64), MANY, memory=memory, clock=clock, times=2
        )
        assert len(server.asked) == 1
    assert len(found.deferred) == 100
    assert what in found.deferred[0].reason
    assert found.deferred[0].reason.startswith("judge 'default' cannot be asked: ")
    assert found.deferred[-1].until - clock.now() == timedelta(minutes=5)
    assert memory.statuses == ["error"]


def test_missing_key_is_named_and_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    memory = Memory()
    with llm(lambda _: WELL) as server:
        found = run_judge(make_judge(server, api_key_env="OPENAI_API_KEY"), MANY, memory=memory)
        assert server.asked == []
    assert memory.calls == []
    assert len(found.deferred) == 100
    assert "OPENAI_API_KEY is not set; put the key" in found.deferred[0].reason


def test_host_that_does_not_exist_is_named() -> None:
    (waiting,) = run_judge(make_judge("http://judge.invalid/v1")).deferred
    assert "the host of http://judge.invalid/v1 cannot be found; correct `base_url`" in waiting.reason


def test_server_that_is_not_there_is_named() -> None:
    url = nowhere()
    (waiting,) = run_judge(make_judge(url)).deferred
    assert waiting.reason.startswith(f"judge 'default' cannot be reached: {url}: ")


def test_what_answers_something_else_is_no_server_that_cannot_be_reached() -> None:
    with llm(lambda _: Reply(raw=b"<html>")) as server:
        (waiting,) = run_judge(make_judge(server)).deferred
    assert waiting.reason.startswith("judge 'default' returns unexpected responses: ")
    assert "look at `base_url`, which usually ends in /v1" in waiting.reason


def test_sentence_that_ends_is_not_ended_twice() -> None:
    with llm(lambda _: Reply(drops=True)) as server:
        (waiting,) = run_judge(make_judge(server)).deferred
    assert ".;" not in waiting.reason


@pytest.mark.parametrize(
    "reply",
    [Reply(status=404, text="no /v1?api-key=abc123"), Reply(status=500, text="hunter2?"), Reply(raw=b"<html>abc123")],
    ids=["wrong path", "error", "a page"],
)
def test_secrets_of_an_address_are_sent_and_never_told(reply: Reply) -> None:
    memory = Memory()
    with llm(lambda _: reply) as server:
        url = server.url.replace("://", "://someone:hunter2@") + "?api-key=abc123"
        (waiting,) = run_judge(make_judge(url), memory=memory).deferred
        assert server.paths[0] == "POST /v1/chat/completions?api-key=abc123"
    assert server.url in waiting.reason
    assert not [secret for secret in ("someone", "hunter2", "abc123") if secret in waiting.reason + repr(memory.calls)]


def test_dialogue_that_was_broken_off_goes_on_where_it_was() -> None:
    memory = Memory()
    pair = (make_llm_evaluator(ask_side_by_side(make_question("first"), make_question("second"))), make_run())
    refused = Reply(status=401, text="no")
    with llm(lambda asked: WELL if asked.evidence == "first" else refused) as server:
        found = run_judge(make_judge(server, concurrency=1), [pair], memory=memory)
        assert (len(found.scores), len(found.deferred)) == (0, 1)
        server.script = lambda _: WELL
        (score,) = run_judge(make_judge(server), [pair], memory=memory).scores
        assert [asked.evidence for asked in server.asked] == ["first", "second", "second"]
    assert score.value == 0.8


PRICES = {"input_usd_per_million": 1_000, "output_usd_per_million": 1_000}


@pytest.mark.parametrize(
    ("settings", "budget", "spent", "who"),
    [
        ({"usd_per_day": 1}, None, {"": Spent(cost_usd=1)}, "judge 'default' has spent its 1 USD of today"),
        ({"tokens_per_day": 9000}, None, {"": Spent(input_tokens=9000)}, "judge 'default' has spent its 9,000 tokens"),
        ({}, Budget(usd_per_day=0.5), {"polite": Spent(cost_usd=0.6)}, "evaluator 'polite' has spent its 0.5 USD"),
        ({}, Budget(tokens_per_day=10), {"polite": Spent(output_tokens=10)}, "evaluator 'polite' has spent its 10 tok"),
        ({"usd_per_day": 0}, None, {}, "judge 'default' has spent its 0 USD"),
    ],
    ids=["USD of the judge", "its tokens", "USD of the evaluator", "its tokens ", "nothing allowed"],
)
def test_spent_budget_puts_off_until_midnight(
    settings: dict[str, Any], budget: Budget | None, spent: dict[str, Spent], who: str
) -> None:
    with llm(lambda _: WELL) as server:
        found = run_judge(
            make_judge(server, **settings), [(make_llm_evaluator(budget=budget), make_run())], spent=spent
        )
        assert server.asked == []
    (waiting,) = found.deferred
    assert waiting.until == MIDNIGHT
    assert waiting.reason.startswith(who)
    assert waiting.reason.endswith("resumes at 00:00 UTC")


def test_budget_ends_the_asking_in_the_middle_of_a_job() -> None:
    with llm(lambda _: WELL) as server:  # each answer costs 110 tokens, 0.11 USD
        found = run_judge(make_judge(server, prices=PRICES, usd_per_day=1, concurrency=16), MANY)
        assert len(server.asked) == 10
    assert (len(found.scores), len(found.deferred)) == (10, 90)


def test_budget_of_one_evaluator_stops_no_other() -> None:
    poor = make_llm_evaluator(name="poor", budget=Budget(tokens_per_day=300))
    pairs = [
        pair
        for number in range(20)
        for pair in ((poor, make_run(number, f"a{number}")), (make_llm_evaluator(), make_run(number)))
    ]
    with llm(lambda _: WELL) as server:
        found = run_judge(make_judge(server), pairs)
    assert [waiting.evaluator for waiting in found.deferred] == ["poor"] * 17
    assert len(found.scores) == 23


def test_cached_answers_are_given_when_nothing_is_left() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        run_judge(make_judge(server), MANY, memory=memory)
        found = run_judge(make_judge(server, usd_per_day=0), MANY, memory=memory)
    assert len(found.scores) == 100


def test_model_without_a_price_is_asked_and_its_cost_is_not_known() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        (score,) = run_judge(make_judge(server, usd_per_day=1), memory=memory).scores
    assert (score.input_tokens, score.cost_usd) == (100, None)
    assert memory.calls[0].cost_usd is None


def test_requests_are_spread_over_the_minute() -> None:
    clock = Clock()
    with llm(lambda _: WELL) as server:
        run_judge(make_judge(server, requests_per_minute=60), MANY, clock=clock)
    assert 99 <= clock.passed_s <= 100


def test_question_that_nobody_answers_takes_none_of_the_tokens_of_the_minute() -> None:
    clock = Clock()
    long = (make_llm_evaluator(ask_side_by_side(make_question("x" * 60_000))), make_run())
    with llm(after(*[Reply(status=500, text="oh")] * 2)) as server:
        (score,) = run_judge(make_judge(server, tokens_per_minute=30_000), [long], clock=clock).scores
    assert score.value == 0.8
    assert clock.passed_s < 10
