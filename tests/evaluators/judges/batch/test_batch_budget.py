"""What a batch may take from a budget, and what becomes of one whose sending was interrupted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.judge_jobs import Clock, Memory, make_judge, make_llm_evaluator, make_question, make_run, run_judge
from tests.support.llm import Llm, Reply, llm

from tracegrade.evaluators.definition.dialogue import Dialogue
from tracegrade.evaluators.definition.registry import Budget, Configured
from tracegrade.evaluators.judges.batch import batch_api, batch_lines
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.ports import JudgeCall

WELL = Reply(text='{"score": 0.8}')
PAIRS = [(make_llm_evaluator(), make_run(number)) for number in range(20)]


def batch(server: Llm, **settings: object) -> Judge:
    return make_judge(server, mode="batch", **settings)


@pytest.mark.parametrize("status", [500, 503, 429, 408], ids=str)
def test_answer_in_a_batch_that_passes_is_no_score_and_the_question_is_put_again(status: int) -> None:
    clock, memory = Clock(), Memory()
    replies = [Reply(status=status, text="overloaded")]
    with llm(lambda _: replies.pop() if replies else WELL) as server:
        run_judge(batch(server), PAIRS[:1], memory=memory, clock=clock)
        server.work_off()
        (waiting,) = run_judge(batch(server), PAIRS[:1], memory=memory, clock=clock).deferred
        assert memory.statuses[0] == "error"
        assert f"{status}: overloaded" in (memory.calls[0].error or "")
        clock.passed_s = (waiting.until - Clock().now()).total_seconds()
        run_judge(batch(server), PAIRS[:1], memory=memory, clock=clock)
        server.work_off()
        (score,) = run_judge(batch(server), PAIRS[:1], memory=memory, clock=clock).scores
    assert score.value == 0.8
    assert memory.statuses == ["error", "ok"]


def test_wrong_setting_that_a_batch_brings_to_light_waits_for_whoever_set_it() -> None:
    memory = Memory()
    with llm(lambda _: Reply(status=404, text="The model `judge-1` does not exist")) as server:
        run_judge(batch(server), PAIRS, memory=memory)
        server.work_off()
        found = run_judge(batch(server), PAIRS, memory=memory)
        assert len(server.batches) == 1
    assert {waiting.until - Clock().now() for waiting in found.deferred} == {timedelta(minutes=5)}
    assert "there is no model 'judge-1'" in found.deferred[0].reason


def one_after_the_other(_: object) -> Dialogue:
    yield [make_question("first")]
    yield [make_question("second")]
    return Score(value=1)


def test_answer_of_a_batch_costs_what_it_took_and_not_what_it_might_have_taken_as_well() -> None:
    memory, clock = Memory(), Clock()
    pairs = [(make_llm_evaluator(one_after_the_other, budget=Budget(tokens_per_day=2_100)), make_run())]
    with llm(lambda _: WELL) as server:
        run_judge(batch(server, tokens_per_day=2_100), pairs, memory=memory, clock=clock)
        server.work_off()
        assert memory.spent[""].pending_tokens > 2_000
        found = run_judge(batch(server, tokens_per_day=2_100), pairs, memory=memory, clock=clock, spent=memory.spent)
    assert found.deferred[0].reason.startswith("sent in a batch")
    assert memory.statuses == ["ok", "pending"]


def test_answer_to_what_was_sent_yesterday_costs_nothing_today() -> None:
    memory, clock = Memory(), Clock()
    pairs = [(make_llm_evaluator(one_after_the_other), make_run())]
    with llm(lambda _: WELL) as server:
        run_judge(batch(server), pairs, memory=memory, clock=clock)
        server.work_off()
        clock.passed_s += 86_400
        found = run_judge(batch(server, tokens_per_day=110), pairs, memory=memory, clock=clock)
    assert found.deferred[0].reason.startswith("sent in a batch")


def three_after_one(_: object) -> Dialogue:
    yield [make_question("first")]
    yield [make_question("second"), make_question("third"), make_question("fourth")]
    return Score(value=1)


@pytest.mark.parametrize("tokens_per_day", [100, 2_000])
def test_answer_to_what_another_judge_has_sent_is_none_of_this_budget(tokens_per_day: int) -> None:
    memory, pairs = Memory(), [(make_llm_evaluator(three_after_one), make_run())]
    with llm(lambda _: WELL) as server:
        run_judge(batch(server), pairs, memory=memory)
        memory.record([replace(call, judge="other") for call in memory.calls])
        server.work_off()
        run_judge(batch(server, tokens_per_day=tokens_per_day), pairs, memory=memory)
    assert [(call.judge, call.status) for call in memory.calls] == [("other", "ok"), ("default", "pending")]


@pytest.mark.parametrize("mode", ["batch", "live"])
def test_what_is_promised_puts_off_until_the_next_look_and_not_until_midnight(mode: str) -> None:
    memory, clock = Memory(), Clock()
    with llm(lambda _: WELL) as server:
        first = run_judge(batch(server, tokens_per_day=4_000), PAIRS[:4], memory=memory, clock=clock)
        then = make_judge(server, mode=mode, tokens_per_day=4_000)
        second = run_judge(then, PAIRS[:4], memory=memory, clock=clock, spent=memory.spent)
    assert memory.statuses == ["pending"] * 2
    postponed = [*first.deferred, *second.deferred]
    assert {waiting.until - clock.now() for waiting in postponed} == {timedelta(seconds=30)}
    assert "calls in flight will use up the budget" in postponed[-1].reason


class Ended(Memory):
    """Of a server that is killed when it learns the id of its batch."""

    def record(self, calls: Sequence[JudgeCall]) -> None:
        if any(call.batch_id == "batch_0" for call in calls):
            raise OSError("killed")
        super().record(calls)


def broken_off(server: Llm, pairs: Sequence[tuple[Configured, AgentTrace]] = PAIRS) -> Memory:
    memory = Ended()
    with pytest.raises(OSError, match="killed"):
        run_judge(batch(server), pairs, memory=memory)
    return Memory(memory.calls)


def test_batch_that_was_sent_when_the_server_was_killed_is_found_and_not_paid_for_twice() -> None:
    with llm(lambda _: WELL) as server:
        memory = broken_off(server)
        assert set(memory.statuses) == {"pending"}
        assert len(run_judge(batch(server), PAIRS, memory=memory).deferred) == 20
        assert {call.batch_id for call in memory.calls} == {"batch_0"}
        assert memory.spent[""].pending_tokens == 20 * 2_005
        server.work_off()
        found = run_judge(batch(server), PAIRS, memory=memory)
        assert (len(server.batches), len(server.asked)) == (1, 20)
    assert [score.value for score in found.scores] == [0.8] * 20
    assert memory.statuses == ["ok"] * 20
    assert memory.spent[""].input_tokens + memory.spent[""].output_tokens == 20 * 110


def test_budget_counts_what_is_found_again_until_it_is_answered() -> None:
    pairs = [(make_llm_evaluator(three_after_one), make_run())]
    with llm(lambda _: WELL) as server:
        memory = broken_off(server, pairs)
        server.work_off()
        run_judge(batch(server, tokens_per_day=2_000), pairs, memory=memory)
    assert memory.statuses == ["ok", "pending"]


@pytest.mark.parametrize("lost", ["never created", "not listed"])
@pytest.mark.parametrize("mode", ["batch", "live"])
def test_batch_of_which_the_server_tells_nothing_is_asked_again_in_its_place(lost: str, mode: str) -> None:
    with llm(lambda _: WELL) as server:
        memory = broken_off(server)
        if lost == "never created":
            server.lose_batches()
        else:
            server.lists_batches = False
        for _ in range(2):
            found = run_judge(make_judge(server, mode=mode), PAIRS, memory=memory)
            server.work_off()
        found = run_judge(make_judge(server, mode=mode), PAIRS, memory=memory)
    assert [score.value for score in found.scores] == [0.8] * 20
    assert [call.status for call in memory.paid] == ["ok"] * 20


def test_server_that_cannot_be_reached_when_a_batch_is_looked_for_is_looked_at_later() -> None:
    with llm(lambda _: WELL) as server:
        memory = broken_off(server)
        before = list(memory.calls)
        server.script, server.fails_with = (lambda _: WELL), Reply(status=500, text="oh")
        assert len(run_judge(batch(server), PAIRS, memory=memory).deferred) == 20
    assert memory.calls == before


def test_batch_that_is_refused_waits_for_its_own_reason_and_the_others_are_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused_second(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        if (method, path) == ("POST", "/v1/batches"):
            opened.append(path)
        is_second = len(opened) == 2 and path == "/v1/batches"
        return Reply(status=400, text="no room") if is_second else reply(method, path, headers, body)

    monkeypatch.setattr(batch_lines, "_MOST_REQUESTS", 2)
    memory, opened = Memory(), list[str]()
    with llm(lambda _: WELL) as server:
        reply = server.reply
        monkeypatch.setattr(server, "reply", refused_second)
        found = run_judge(batch(server), PAIRS[:6], memory=memory)
    sent, refused = "sent in a batch; checked every 30 s", "the batch could not be sent: "
    reasons = [waiting.reason for waiting in found.deferred]
    assert [reason.partition("the server")[0] for reason in reasons] == [sent, sent, refused, refused, sent, sent]
    assert [(waiting.until - Clock().now()).total_seconds() for waiting in found.deferred[1:3]] == [30, 300]
    assert [call.batch_id for call in memory.calls if call.output_tokens] == ["batch_0"] * 2 + ["batch_1"] * 2


def test_batch_that_is_not_sent_in_time_says_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_api, "_TRANSFER_S", 0.05)
    with llm(lambda _: WELL) as server:
        server.fails_with = Reply(delay_s=5)
        (waiting,) = run_judge(batch(server), PAIRS[:1]).deferred
    assert "gave no answer within 0.05 s" in waiting.reason
