"""What calls cost and when: counted or estimated, on the day on which they were made, and each answer once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.support.judge_jobs import (
    Clock,
    Memory,
    ask_side_by_side,
    make_judge,
    make_llm_evaluator,
    make_pass,
    make_question,
    make_run,
    run_judge,
)
from tests.support.llm import Asked, Reply, llm

from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.ports import Evaluated, JudgeCall

WELL = Reply(text='{"score": 0.8}')
UNCOUNTED = Reply(text='{"score": 0.8}', usage=None)
BAD = Reply(text="no score")
MANY = [(make_llm_evaluator(), make_run(number)) for number in range(20)]
PRICES = {"input_usd_per_million": 1e6, "output_usd_per_million": 1e6}
MIDNIGHT = datetime(2026, 3, 2)  # noqa: DTZ001 - UTC, as in the store


@pytest.mark.parametrize(
    "limit", [{"usd_per_day": 20, "prices": PRICES}, {"tokens_per_day": 20}], ids=["dollars", "tokens"]
)
def test_budget_holds_where_the_server_counts_no_tokens_and_in_the_next_pass_too(limit: dict[str, Any]) -> None:
    memory = Memory()
    with llm(lambda _: UNCOUNTED) as server:
        for _ in range(3):
            found = run_judge(make_judge(server, **limit, max_output_tokens=5), MANY, memory=memory, spent=memory.spent)
        assert len(server.asked) == 3  # each of some 9 tokens
    assert len(found.deferred) == 17
    assert memory.spent[""].input_tokens + memory.spent[""].output_tokens >= 20


def test_estimate_is_marked_in_the_call_and_never_told_as_counted_in_the_score() -> None:
    memory = Memory()
    with llm(lambda _: UNCOUNTED) as server:
        (score,) = run_judge(make_judge(server, prices=PRICES), memory=memory).scores
    (call,) = memory.calls
    assert (call.response or {})["estimated"] is True
    assert (call.input_tokens, call.output_tokens, call.cost_usd) == (5, 4, 9.0)
    assert (score.input_tokens, score.output_tokens, score.cost_usd) == (None, None, None)


def test_answers_of_a_batch_that_nobody_counted_are_estimated_too() -> None:
    memory = Memory()
    with llm(lambda _: UNCOUNTED) as server:
        for _ in range(2):
            run_judge(make_judge(server, mode="batch"), MANY[:1], memory=memory)
            server.work_off()
    (call,) = memory.calls
    assert (call.status, call.input_tokens, call.output_tokens) == ("ok", 5, 4)


def passing(clock: Clock, for_s: float, reply: Reply = WELL) -> Callable[[Asked], Reply]:
    """Each question takes so long."""

    def script(_: Asked) -> Reply:
        clock.passed_s += for_s
        return reply

    return script


def test_budget_that_is_spent_after_midnight_waits_for_the_midnight_of_its_day_only() -> None:
    clock = Clock(passed_s=12 * 3600 - 1)
    with llm(passing(clock, 1)) as server:
        found = run_judge(make_judge(server, tokens_per_day=200, concurrency=1), MANY, clock=clock)
        assert len(server.asked) == 2
    assert clock.now() > MIDNIGHT
    assert {(waiting.until, waiting.kind) for waiting in found.deferred} == {(MIDNIGHT, "budget")}


def test_call_is_booked_when_it_was_sent_and_not_when_it_was_written_down() -> None:
    clock, memory = Clock(), Memory()
    with llm(passing(clock, 3600)) as server:
        run_judge(make_judge(server, concurrency=1), MANY[:3], clock=clock, memory=memory)
    assert [call.started_at - Clock().now() for call in memory.calls] == [timedelta(hours=hour) for hour in range(3)]


def test_call_that_was_tried_again_began_with_the_try_that_was_answered() -> None:
    clock, memory = Clock(), Memory()
    replies = [WELL, Reply(status=500, text="oh")]

    def script(_: Asked) -> Reply:
        clock.passed_s += 10
        return replies.pop()

    with llm(script) as server:
        run_judge(make_judge(server), clock=clock, memory=memory)
    (call,) = memory.calls
    assert call.started_at >= Clock().now() + timedelta(seconds=10)


def test_answer_that_somebody_else_has_had_meanwhile_is_not_asked_for_again() -> None:
    clock, memory, others = Clock(), Memory(), Memory()

    def script(_: Asked) -> Reply:
        clock.passed_s += 60
        memory.record([replace(call, judge="other") for call in others.calls])
        return WELL

    with llm(lambda _: WELL) as server:
        run_judge(make_judge(server), MANY, memory=others)
        server.script = script
        found = run_judge(make_judge(server, concurrency=1), MANY, memory=memory, clock=clock)
        assert len(server.asked) == 20 + 1
    assert [score.value for score in found.scores] == [0.8] * 20
    known = [call for call in memory.calls if call.from_cache]
    assert len(known) == 19
    assert {call.started_at for call in known} == {clock.now()}  # and not when it was looked up at first


@pytest.mark.parametrize(
    ("settings", "reply"),
    [
        ({"requests_per_minute": 6}, WELL),
        ({"tokens_per_minute": 1_200}, WELL),
        ({}, Reply(status=429, text="slow down", headers={"retry-after": "20"})),
    ],
    ids=["for requests of the minute", "for tokens of the minute", "for the server"],
)
def test_answer_that_somebody_else_has_had_while_all_waited_is_not_asked_for_again(
    settings: dict[str, Any], reply: Reply
) -> None:
    clock, memory, others = Clock(), Memory(), Memory()
    replies = [reply, WELL]

    def script(_: Asked) -> Reply:
        if len(replies) == 1:
            memory.record([replace(call, judge="other") for call in others.calls])
        return replies.pop() if replies else WELL

    with llm(lambda _: WELL) as server:
        run_judge(make_judge(server), MANY, memory=others)
        server.script = script
        found = run_judge(make_judge(server, concurrency=1, **settings), MANY, memory=memory, clock=clock)
        assert len(server.asked) == 20 + 2
    assert [score.value for score in found.scores] == [0.8] * 20
    assert clock.passed_s < 25  # what was not asked has not used the minute


class Full(Memory):
    """Takes nothing until there is room again."""

    is_full = True

    def record(self, calls: Sequence[JudgeCall]) -> None:
        if self.is_full:
            raise OSError("no space left on device")
        super().record(calls)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_answer_that_cannot_be_kept_is_kept_first_of_all_once_it_can_and_paid_for_once(concurrency: int) -> None:
    memory, clock = Full(), Clock()

    async def passes(judge: Judge) -> Evaluated:
        engine = Engine("default", judge, memory, now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
        try:
            for _ in range(5):
                with pytest.raises(OSError, match="no space left"):
                    await engine.ask(make_pass(clock), MANY, memory.spent)
            memory.is_full = False
            return await engine.ask(make_pass(clock), MANY, memory.spent)
        finally:
            await engine.close()

    with llm(lambda _: WELL) as server:
        found = asyncio.run(passes(make_judge(server, tokens_per_day=300, concurrency=concurrency)))
        assert len(server.asked) == 3  # each of 110 tokens
    assert len(found.scores) == 3
    assert sorted(call.from_cache for call in memory.calls) == [False, False, False, True]
    assert memory.spent[""].input_tokens + memory.spent[""].output_tokens == 330


def test_answers_under_way_when_one_cannot_be_kept_are_kept_with_it() -> None:
    memory, clock = Full(), Clock()
    memory.is_full = False
    delays_s = [0.6, 0.6, 0.6, 0.3, 0.0]

    async def passes(judge: Judge) -> Evaluated:
        engine = Engine("default", judge, memory, now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
        try:
            await engine.ask(make_pass(clock), MANY[:1], memory.spent)
            memory.is_full = True
            with pytest.raises(OSError, match="no space left"):
                await engine.ask(make_pass(clock), MANY[1:5], memory.spent)
            memory.is_full = False
            return await engine.ask(make_pass(clock), MANY[1:5], memory.spent)
        finally:
            await engine.close()

    with llm(lambda _: replace(WELL, delay_s=delays_s.pop() if delays_s else 0.0)) as server:
        found = asyncio.run(passes(make_judge(server, concurrency=4)))
        assert len(server.asked) == 5
    assert [score.value for score in found.scores] == [0.8] * 4
    assert [call.from_cache for call in memory.calls] == [*[False] * 5, *[True] * 4]


def test_answer_that_is_no_score_is_paid_for_once_by_all_who_have_the_question() -> None:
    memory = Memory()
    pairs = [(make_llm_evaluator(name=name), make_run(number, "same")) for number, name in enumerate("abc")]
    with llm(lambda _: BAD) as server:
        found = run_judge(make_judge(server), pairs, memory=memory)
        assert len(server.asked) == 1
    assert {score.reason for score in found.scores} == {"the judge's answer could not be used: it has no score"}
    assert [(call.status, call.from_cache) for call in memory.calls] == [
        ("unusable", False),
        ("unusable", True),
        ("unusable", True),
    ]


def test_answer_that_is_no_score_serves_until_its_score_stands_and_is_then_asked_for_anew() -> None:
    memory = Memory()
    cut_off = replace(WELL, finish_reason="length")
    with llm(lambda _: cut_off) as server:
        run_judge(make_judge(server), memory=memory)
        memory.judged.clear()  # the server was killed before it kept the score
        (again,) = run_judge(make_judge(server), memory=memory).scores
        assert len(server.asked) == 1
        assert (
            again.reason == "the judge's answer could not be used: it was cut off; raise max_output_tokens of the judge"
        )
        server.script = lambda _: WELL
        (anew,) = run_judge(make_judge(server), memory=memory).scores
        assert len(server.asked) == 2
    assert anew.value == 0.8


def test_answer_that_is_no_score_is_not_paid_for_again_while_another_answer_is_waited_for() -> None:
    memory = Memory()
    pair = (make_llm_evaluator(ask_side_by_side(make_question("first"), make_question("second"))), make_run())
    with llm(lambda asked: BAD if asked.evidence == "first" else Reply(status=401, text="no")) as server:
        for _ in range(3):
            assert len(run_judge(make_judge(server, concurrency=1), [pair], memory=memory).deferred) == 1
        assert [asked.evidence for asked in server.asked].count("first") == 1


def test_answer_by_a_tool_call_is_an_error_with_the_call_in_its_details() -> None:
    raw = b'{"choices": [{"message": {"content": null, "tool_calls": [{"function": {"name": "grade"}}]}}]}'
    memory = Memory()
    with llm(lambda _: Reply(raw=raw)) as server:
        (score,) = run_judge(make_judge(server), memory=memory).scores
    assert score.reason == "the judge's answer could not be used: it answered by calling a tool"
    assert "grade" in str((score.details or {})["answer"])
    assert "grade" in (memory.calls[0].response or {})["text"]


def picky(asked: Asked) -> Reply:
    form = asked.body.get("response_format", {}).get("type", "text")
    return WELL if form == "text" else Reply(status=400, text=f"response_format {form} is not supported")


def test_requests_that_find_out_the_form_are_counted_as_attempts() -> None:
    memory = Memory()
    with llm(picky) as server:
        run_judge(make_judge(server, concurrency=1), MANY[:2], memory=memory)
        assert len(server.asked) == 4
    assert [(call.response or {}).get("attempts") for call in memory.calls] == [3, None]


def test_error_tells_of_the_requests_that_found_out_the_form() -> None:
    def script(asked: Asked) -> Reply:
        return picky(asked) if "response_format" in asked.body else Reply(status=413, text="too large")

    memory = Memory()
    with llm(script) as server:
        run_judge(make_judge(server), memory=memory)
    assert (memory.calls[0].error or "").endswith("413: too large) (after 3 attempts)")
