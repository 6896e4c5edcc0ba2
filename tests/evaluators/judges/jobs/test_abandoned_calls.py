"""What becomes of calls in batches when nobody asks their question any more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from tests.support.judge_jobs import Clock, Memory, make_judge, make_llm_evaluator, make_pass, make_run
from tests.support.llm import Asked, Llm, Reply, llm

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Evaluated

WELL = Reply(text='{"score": 0.8}')
GONE = [(make_llm_evaluator(name="gone"), make_run(number)) for number in range(3)]
LEFT = [(make_llm_evaluator(name="left"), make_run(9))]


def jobs(server: Llm, memory: Memory, *pairs: Sequence[tuple[Configured, AgentTrace]], **settings: Any) -> Evaluated:
    """What the last of these jobs of one engine found. They are half a minute apart, and each knows what was spent."""
    clock = Clock()

    async def ask() -> Evaluated:
        asked = make_judge(server, mode="batch", **settings)
        engine = Engine("default", asked, memory, now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep)
        for some in pairs:
            found = await engine.ask(make_pass(clock), some, memory.spent if memory.calls else {})
            clock.passed_s += 30
        await engine.close()
        return found

    return asyncio.run(ask())


def of_gone(memory: Memory) -> list[str]:
    return [call.status for call in memory.paid if call.evaluator == "gone"]


def test_answer_for_which_nobody_waits_is_fetched_booked_and_kept() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        jobs(server, memory, GONE)
        sent = [call.request for call in memory.calls]
        server.work_off()
        jobs(server, memory, LEFT, LEFT, LEFT)
        assert of_gone(memory) == ["ok"] * 3
        assert [call.request for call in memory.calls if call.evaluator == "gone"] == sent
        spent = memory.spent["gone"]
        assert (spent.input_tokens, spent.output_tokens, spent.pending_tokens) == (300, 30, 0)
        found = jobs(server, memory, GONE)
        assert len(server.asked) == 3
    assert [score.value for score in found.scores] == [0.8] * 3


def test_what_is_reserved_for_a_batch_that_nobody_waits_for_holds_up_nobody_once_it_has_ended() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        jobs(server, memory, GONE, tokens_per_day=6_000)
        held = jobs(server, memory, LEFT, tokens_per_day=6_000)
        server.work_off()
        found = jobs(server, memory, LEFT, LEFT, LEFT, LEFT, tokens_per_day=6_000)
    assert "will use up the budget" in held.deferred[0].reason
    assert found.deferred[0].reason.startswith("sent in a batch")


def test_batch_for_which_nobody_waits_is_given_up_when_it_takes_too_long() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        server.cancels_after = 1
        jobs(server, memory, GONE)
        jobs(server, memory, *[LEFT] * 6, max_polls=2)
        assert server.batches[0]["status"] == "cancelled"
    assert of_gone(memory) == ["ok", "error", "error"]
    assert memory.spent["gone"].pending_tokens == 0
    assert "raise `max_polls`" in str([call.error for call in memory.calls if call.status == "error"])


def test_batch_that_ended_with_errors_leaves_nothing_pending() -> None:
    def script(asked: Asked) -> Reply:
        return Reply(status=400, text="too long") if asked.evidence == "answer 1" else Reply(refusal="no")

    memory = Memory()
    with llm(script) as server:
        jobs(server, memory, GONE)
        server.work_off()
        jobs(server, memory, LEFT, LEFT, LEFT)
    assert sorted(of_gone(memory)) == ["error", "unusable", "unusable"]


def test_batch_that_was_never_created_leaves_nothing_pending() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        server.has_batches = False
        jobs(server, memory, GONE)
        server.has_batches = True
        jobs(server, memory, LEFT, LEFT, LEFT)
    assert of_gone(memory) == ["error"] * 3


def test_what_somebody_waits_for_is_left_to_them_with_what_it_took() -> None:
    memory = Memory()
    with llm(lambda _: WELL) as server:
        jobs(server, memory, GONE)
        server.work_off()
        found = jobs(server, memory, GONE[:1], GONE[1:2], GONE[2:])
    (score,) = found.scores
    assert score.input_tokens == 100


def test_server_is_asked_once_a_poll_about_what_nobody_waits_for() -> None:
    memory, clock = Memory(), Clock()

    async def ask(server: Llm) -> int:
        engine = Engine("default", make_judge(server, mode="batch"), memory, now=clock.now)
        for passed_s in (0, 60, 61, 62):
            clock.passed_s = passed_s
            await engine.ask(make_pass(clock), LEFT, memory.spent)
        await engine.close()
        return server.paths.count("GET /v1/batches/batch_0")

    with llm(lambda _: WELL) as server:
        jobs(server, memory, GONE)
        assert asyncio.run(ask(server)) == 1
    assert of_gone(memory) == ["pending"] * 3
