from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
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
from tests.support.llm import Asked, Llm, Reply, llm

from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.ports import Evaluated

WELL = Reply(text='{"score": 0.8}')
PAIRS = [(make_llm_evaluator(), make_run(number)) for number in range(20)]


def batch(server: Llm, **settings: Any) -> Judge:
    return make_judge(server, mode="batch", **settings)


def test_questions_go_out_together_and_wait() -> None:
    clock, memory = Clock(), Memory()
    with llm(lambda _: WELL) as server:
        found = run_judge(batch(server), PAIRS, clock=clock, memory=memory)
        assert (len(server.batches), server.asked) == (1, [])
    assert found.scores == []
    assert {waiting.until - clock.now() for waiting in found.deferred} == {timedelta(seconds=30)}
    assert found.deferred[0].reason == "sent in a batch; checked every 30 s"
    assert found.deferred[0].kind == "batch"
    assert {(call.status, call.batch_id) for call in memory.calls} == {("pending", "batch_0")}
    assert len(memory.calls) == 20


def test_answers_of_a_batch_become_scores_after_a_restart_too() -> None:
    clock, memory = Clock(), Memory()
    with llm(lambda _: WELL) as server:
        run_judge(batch(server), PAIRS, clock=clock, memory=memory)
        clock.passed_s += 30
        assert len(run_judge(batch(server), PAIRS, clock=clock, memory=memory).deferred) == 20
        server.work_off()
        clock.passed_s += 30
        before = len(server.paths)
        found = run_judge(batch(server), PAIRS, clock=clock, memory=memory)
        assert server.paths[before:] == ["GET /v1/batches/batch_0", "GET /v1/files/file_1/content"]
        assert len(server.batches) == 1
        again = run_judge(batch(server), PAIRS, clock=clock, memory=memory)
    assert [score.value for score in found.scores] == [0.8] * 20
    assert {(score.input_tokens, score.duration_ms) for score in found.scores} == {(100, 60_000)}
    assert [score.value for score in again.scores] == [0.8] * 20
    assert {call.status for call in memory.calls} == {"ok"}
    assert len(memory.paid) == 20


def test_dialogue_of_several_questions_takes_several_batches() -> None:
    def dialogue(_: Any) -> Any:
        (first,) = yield [make_question("first")]
        answers = yield [make_question(f"second {first.value}"), make_question("third")]
        return sum(answer.value for answer in answers)

    memory = Memory()
    with llm(lambda _: WELL) as server:
        for _ in range(2):
            assert run_judge(batch(server), [(make_llm_evaluator(dialogue), make_run())], memory=memory).scores == []
            server.work_off()
        (score,) = run_judge(batch(server), [(make_llm_evaluator(dialogue), make_run())], memory=memory).scores
        assert [asked.evidence for asked in server.asked] == ["first", "second 0.8", "third"]
    assert score.status == "error"  # 1.6 is no score, which is the dialogue's own affair


def test_same_question_is_sent_once() -> None:
    pairs = [(make_llm_evaluator(name=name), make_run(1)) for name in ("a", "b")]
    memory = Memory()
    with llm(lambda _: WELL) as server:
        assert len(run_judge(batch(server), pairs, memory=memory).deferred) == 2
        server.work_off()
        assert len(run_judge(batch(server), pairs, memory=memory).scores) == 2
        assert len(server.asked) == 1


def test_what_the_batch_could_not_answer_is_an_error_and_the_rest_is_not() -> None:
    def script(asked: Asked) -> Reply:
        if asked.evidence == "answer 1":
            return Reply(status=400, text="content is too long")
        return Reply(text="no JSON") if asked.evidence == "answer 2" else WELL

    memory = Memory()
    with llm(script) as server:
        run_judge(batch(server), PAIRS[:4], memory=memory)
        server.work_off()
        found = run_judge(batch(server), PAIRS[:4], memory=memory)
    assert [score.status for score in found.scores] == ["scored", "error", "error", "scored"]
    assert "400: content is too long" in (found.scores[1].reason or "")
    assert sorted(memory.statuses) == ["error", "ok", "ok", "unusable"]


def test_batch_that_failed_for_its_lines_is_an_error() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        run_judge(batch(server), PAIRS, memory=memory)
        server.end("failed", "bad lines", line=1)
        found = run_judge(batch(server), PAIRS, memory=memory)
    assert [score.status for score in found.scores] == ["error"] * 20
    assert "batch batch_0 has failed (bad lines)" in (found.scores[0].reason or "")
    assert memory.statuses == ["error"] * 20


def end(server: Llm, how: str) -> None:
    """Ends the batch that waits, without a fault of its questions."""
    match how:
        case "lost":
            server.lose_batches()
        case "batch_expired" | "batch_cancelled":
            server.end("expired", code=how)
        case _:
            server.end(how, "no room")


ENDS = [
    ("failed", "has failed (no room) without an answer"),
    ("expired", "was expired (no room) without an answer"),
    ("cancelled", "was cancelled (no room) without an answer"),
    ("batch_expired", "was expired, this question not asked (batch_expired)"),
    ("batch_cancelled", "was expired, this question not asked (batch_cancelled)"),
    ("lost", "is unknown to the server: it has ended without an answer"),
]


@pytest.mark.parametrize(("how", "told"), ENDS, ids=[how for how, _ in ENDS])
def test_batch_that_ended_through_no_fault_of_its_questions_is_sent_again(how: str, told: str) -> None:
    clock, memory = Clock(), Memory()
    with llm(lambda _: WELL) as server:
        run_judge(batch(server), PAIRS, memory=memory, clock=clock)
        end(server, how)
        found = run_judge(batch(server), PAIRS, memory=memory, clock=clock)
        assert found.scores == []
        assert f"batch batch_0 {told}" in found.deferred[0].reason
        assert {waiting.until - clock.now() for waiting in found.deferred} == {timedelta(minutes=5)}
        assert memory.spent[""].pending_tokens == 0
        run_judge(batch(server), PAIRS, memory=memory, clock=clock)
        server.work_off()
        again = run_judge(batch(server), PAIRS, memory=memory, clock=clock)
    assert [score.value for score in again.scores] == [0.8] * 20


def test_question_that_three_batches_left_unanswered_is_an_error() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        _, first, _, second, _, found = looked_into(
            server, memory, [0, 30] * 3, between=lambda: server.end("expired", "too slow")
        )
        assert len(server.batches) == 3
    assert (len(first.deferred), len(second.deferred)) == (20, 20)
    assert {score.status for score in found.scores} == {"error"}
    assert "batch batch_2 was expired (too slow) without an answer to this question, 3 times" in str(
        found.scores[0].reason
    )


def looked_into(
    server: Llm, memory: Memory, pauses_s: Sequence[float], *, between: Callable[[], object] = int, **settings: Any
) -> list[Evaluated]:
    """What one engine finds after each of these pauses, after each of which something happens."""
    clock = Clock()

    async def look() -> list[Evaluated]:
        asked = batch(server, **settings)
        engine = Engine("default", asked, memory, now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
        found = []
        for pause_s in pauses_s:
            clock.passed_s += pause_s
            found.append(await engine.ask(make_pass(clock), PAIRS, {}))
            between()
        await engine.close()
        return found

    return asyncio.run(look())


TOO_LONG = "batch batch_0 was cancelled by us, not being done after 2 times 30 s (raise `max_polls`)"


def test_batch_that_takes_too_long_is_cancelled_what_it_has_answered_counts_and_the_rest_is_sent_again() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        server.cancels_after = 5
        *_, before, cancelled, found, again = looked_into(server, memory, [0, 30, 30, 30, 30, 300], max_polls=2)
        assert server.batches[0]["status"] == "cancelled"
        assert len(server.batches) == 2
    assert {waiting.reason for waiting in before.deferred} == {"batch batch_0 is not done; checked every 30 s"}
    assert {waiting.reason for waiting in cancelled.deferred} == {f"{TOO_LONG}; its answers so far are waited for"}
    assert [score.status for score in found.scores] == ["scored"] * 5
    assert {waiting.reason for waiting in found.deferred} == {f"{TOO_LONG} without an answer to this question"}
    assert [waiting.reason for waiting in again.deferred] == ["sent in a batch; checked every 30 s"] * 15


def test_batches_that_take_too_long_wait_for_whoever_sets_how_long_however_many_there_are() -> None:
    with llm(lambda _: WELL) as server:
        found = looked_into(server, Memory(), [0, 40, 40] * 4, max_polls=1)
        assert len(server.batches) == 4
    assert all(one.scores == [] for one in found)


def test_batch_that_takes_too_long_does_not_begin_anew_with_a_restart() -> None:
    clock, memory = Clock(), Memory()
    with llm(lambda _: WELL) as server:
        for _ in range(4):
            run_judge(batch(server, max_polls=2), PAIRS, memory=memory, clock=clock)
            clock.passed_s += 30
        assert server.batches[0]["status"] == "cancelled"


def test_batch_that_the_server_does_not_cancel_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def kept(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        return Reply(status=404, text="no") if path.endswith("/cancel") else reply(method, path, headers, body)

    with llm(lambda _: WELL) as server:
        reply = server.reply
        monkeypatch.setattr(server, "reply", kept)
        *_, waited, found = looked_into(server, Memory(), [0, 90, 900, 1], max_polls=2)
    assert {waiting.reason for waiting in waited.deferred} == {f"{TOO_LONG}; its answers so far are waited for"}
    assert {waiting.reason for waiting in found.deferred} == {f"{TOO_LONG} without an answer to this question"}


def test_form_that_the_server_refuses_in_a_batch_is_put_in_other_words() -> None:
    def script(asked: Asked) -> Reply:
        form = asked.body.get("response_format", {}).get("type")
        return Reply(status=400, text="no json_schema here") if form == "json_schema" else WELL

    memory = Memory()

    def work_off(server: Llm, times: int) -> Evaluated:
        for _ in range(times):
            found = run_judge(batch(server), PAIRS, memory=memory)
            server.work_off()
        return found

    with llm(script) as server:
        found = work_off(server, 3)
        assert len(server.batches) == 2
    assert [score.value for score in found.scores] == [0.8] * 20


def test_server_that_does_not_say_what_it_refuses_in_a_batch_is_asked_for_less() -> None:
    def script(asked: Asked) -> Reply:
        return Reply(status=400, text="Invalid request") if "response_format" in asked.body else WELL

    memory = Memory()

    async def work_off(server: Llm) -> Evaluated:
        clock = Clock()
        engine = Engine("default", batch(server), memory, now=clock.now)
        for _ in range(4):
            found = await engine.ask(make_pass(clock), PAIRS, {})
            server.work_off()
        await engine.close()
        return found

    with llm(script) as server:
        found = asyncio.run(work_off(server))
        assert len(server.batches) == 3
    assert [score.value for score in found.scores] == [0.8] * 20


def test_server_without_batches_is_named() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        server.has_batches = False
        for _ in range(2):
            found = run_judge(batch(server), PAIRS, memory=memory)
    assert len(found.deferred) == 20
    assert "takes no batches; leave out `mode: batch`" in found.deferred[0].reason
    assert [(call.status, call.input_tokens, call.cost_usd) for call in memory.calls] == [("pending", None, None)] * 20


def test_file_of_answers_that_has_expired_is_named_and_the_other_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def expired(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
        return Reply(status=404, text="gone") if "file_2" in path else reply(method, path, headers, body)

    memory = Memory()
    with llm(lambda asked: Reply(status=400, text="no") if asked.evidence == "answer 1" else WELL) as server:
        run_judge(batch(server), PAIRS[:2], memory=memory)
        server.work_off()
        reply = server.reply
        monkeypatch.setattr(server, "reply", expired)
        found = run_judge(batch(server), PAIRS[:2], memory=memory)
    (answered,), (lost,) = found.scores, found.deferred
    assert answered.value == 0.8
    assert "batch batch_0 has ended (the server no longer has its file file_2) without an answer" in str(lost.reason)


def test_budget_counts_what_is_under_way_in_batches() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        found = run_judge(batch(server, tokens_per_day=10_000), PAIRS, memory=memory)
        assert len(memory.calls) == 5  # of about 2,003 tokens each
    assert sum("will use up the budget" in waiting.reason for waiting in found.deferred) == 15
    assert {call.output_tokens for call in memory.calls} == {2_000}


def test_judge_that_is_asked_live_again_still_fetches_what_it_sent() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        run_judge(batch(server), PAIRS, memory=memory)
        server.work_off()
        found = run_judge(
            make_judge(server),
            [*PAIRS, (make_llm_evaluator(ask_side_by_side(make_question("new"))), make_run(99))],
            memory=memory,
        )
        assert len(server.asked) == 21
    assert len(found.scores) == 21
