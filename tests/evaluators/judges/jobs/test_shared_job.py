"""Many small groups of targets, evaluated at once, share one job: its budgets, and the answers to its questions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.judge_jobs import Clock, Memory, make_judge, make_llm_evaluator, make_pass, make_run
from tests.support.llm import Llm, Reply, llm

from tracegrade.evaluators.definition.registry import Budget
from tracegrade.evaluators.judges.jobs.engine import Engine, Pair
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import Evaluated, Spent

WELL = Reply(text='{"score": 0.8}')  # 110 tokens
PRICES = {"input_usd_per_million": 1_000, "output_usd_per_million": 1_000}
"""An answer costs 0.11 USD."""

Groups = Sequence[Sequence[Pair]]


def ask(server: Llm, groups: Groups, memory: Memory | None = None, **settings: Any) -> list[Evaluated]:
    """Asks about each group by itself, all at once and within one job."""

    async def main() -> list[Evaluated]:
        clock = Clock()
        engine = Engine("default", make_judge(server, **settings), memory or Memory(), now=clock.now)
        job = engine.begin(make_pass(clock), {})
        evaluated = await asyncio.gather(*(engine.ask_within(job, group) for group in groups))
        await job.close()
        await engine.close()
        return evaluated

    return asyncio.run(main())


def of_runs(*runs: AgentTrace, **fields: Any) -> Groups:
    return [[(make_llm_evaluator(**fields), run)] for run in runs]


def count(evaluated: Sequence[Evaluated]) -> tuple[int, int]:
    """The scores, and what is deferred."""
    return sum(len(each.scores) for each in evaluated), sum(len(each.deferred) for each in evaluated)


RUNS = [make_run(number) for number in range(60)]


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ({"usd_per_day": 1, "prices": PRICES}, {}),
        ({"tokens_per_day": 1_100}, {}),
        ({}, {"budget": Budget(tokens_per_day=1_100)}),
        ({"usd_per_day_per_agent": 1, "prices": PRICES}, {}),
    ],
    ids=["USD", "tokens", "tokens of the evaluator", "USD of the agent"],
)
def test_budget_holds_over_groups_that_are_asked_about_at_once(
    settings: dict[str, Any], fields: dict[str, Any]
) -> None:
    with llm(lambda _: WELL) as server:
        evaluated = ask(server, of_runs(*RUNS, **fields), concurrency=16, **settings)
        assert len(server.asked) == 10
    assert count(evaluated) == (10, 50)


def test_question_of_two_groups_is_asked_once() -> None:
    memory = Memory()
    with llm(lambda _: Reply(text='{"score": 0.8}', delay_s=0.05)) as server:
        evaluated = ask(server, of_runs(make_run(1, "same"), make_run(2, "same")), memory)
        assert len(server.asked) == 1
    assert count(evaluated) == (2, 0)
    assert [call.from_cache for call in memory.calls] == [False, True]


@pytest.mark.parametrize(
    ("tokens", "answered"), [(0, 10), (900, 2), (1_100, 0)], ids=["nothing", "most of it", "all of it"]
)
def test_spending_of_others_meanwhile_is_counted(tokens: int, answered: int) -> None:
    async def main(server: Llm) -> list[Evaluated]:
        clock = Clock()
        engine = Engine("default", make_judge(server, tokens_per_day=1_100), Memory(), now=clock.now)
        job = engine.begin(make_pass(clock), {})
        job.count_spent({"": Spent(input_tokens=tokens)})
        evaluated = [await engine.ask_within(job, group) for group in of_runs(*RUNS[:20])]
        await engine.close()
        return evaluated

    with llm(lambda _: WELL) as server:
        assert count(asyncio.run(main(server))) == (answered, 20 - answered)


def test_own_spending_is_not_counted_twice_when_it_is_read_again() -> None:
    async def main(server: Llm) -> list[Evaluated]:
        clock, memory = Clock(), Memory()
        engine = Engine("default", make_judge(server, tokens_per_day=1_100), memory, now=clock.now)
        job = engine.begin(make_pass(clock), {})
        evaluated = []
        for group in of_runs(*RUNS[:20]):
            job.count_spent(memory.spent)
            evaluated.append(await engine.ask_within(job, group))
        await engine.close()
        return evaluated

    with llm(lambda _: WELL) as server:
        assert count(asyncio.run(main(server))) == (10, 10)


def test_failing_cache_is_raised_and_a_later_group_may_be_asked_about() -> None:
    class Broken(Memory):
        is_broken = True

        def lookup(self, request_hashes: Any) -> Any:
            if self.is_broken:
                raise OSError("the store is gone")
            return super().lookup(request_hashes)

    async def main(server: Llm) -> Evaluated:
        clock, memory = Clock(), Broken()
        engine = Engine("default", make_judge(server), memory, now=clock.now)
        job = engine.begin(make_pass(clock), {})
        with pytest.raises(OSError, match="the store is gone"):
            await engine.ask_within(job, of_runs(RUNS[0])[0])
        memory.is_broken = False
        later = engine.begin(make_pass(clock), {})
        evaluated = await engine.ask_within(later, of_runs(RUNS[0])[0])
        await engine.close()
        return evaluated

    with llm(lambda _: WELL) as server:
        assert count([asyncio.run(main(server))]) == (1, 0)
