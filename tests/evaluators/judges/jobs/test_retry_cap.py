"""A question that is never answered keeps no other from being asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tests.support.judge_jobs import Clock, Memory, make_judge, make_llm_evaluator, make_pass, make_run
from tests.support.llm import Asked, Llm, Reply, llm

from tracegrade.evaluators.judges.jobs.engine import Engine
from tracegrade.evaluators.ports import Evaluated

STRANGE = Reply(raw=b'{"choices": []}')


def poison_is_strange(asked: Asked) -> Reply:
    return STRANGE if "poison" in asked.evidence else Reply(text='{"score": 0.8}')


def in_turn(server: Llm, jobs: Sequence[tuple[int, Sequence[str]]]) -> list[tuple[Evaluated, list[str]]]:
    """What the jobs of one engine find, and ask for, each so many seconds after the one before, about runs with these
    answers."""
    clock, memory = Clock(), Memory()

    async def ask() -> list[tuple[Evaluated, list[str]]]:
        engine = Engine(
            "default", make_judge(server), memory, now=clock.now, elapsed_s=clock.elapsed_s, sleep=clock.sleep
        )
        found = []
        for pause_s, said in jobs:
            clock.passed_s += pause_s
            before = len(server.asked)
            pairs = [(make_llm_evaluator(), make_run(number, one)) for number, one in enumerate(said)]
            findings = await engine.ask(make_pass(clock), pairs, {})
            found.append((findings, [asked.evidence for asked in server.asked[before:]]))
        await engine.close()
        return found

    return asyncio.run(ask())


def test_strange_answers_to_one_question_are_no_reason_to_ask_no_other() -> None:
    with llm(poison_is_strange) as server:
        *_, (found, _) = in_turn(server, [(0, ["poison"]), (60, ["poison"]), (0, ["well"])])
    assert [score.value for score in found.scores] == [0.8]


def test_strange_answers_to_different_questions_are_soon_asked_for_no_more() -> None:
    with llm(lambda _: STRANGE) as server:
        ((found, asked),) = in_turn(server, [(0, [f"answer {number}" for number in range(100)])])
    assert len(asked) == 3
    assert len(found.deferred) == 100


def test_question_that_failed_is_not_the_one_that_is_tried_when_the_time_is_up() -> None:
    poisoned = ["poison 1", "poison 2", "poison 3"]
    with llm(poison_is_strange) as server:
        _, (found, asked) = in_turn(server, [(0, poisoned), (30, [*poisoned, "well"])])
    assert asked == ["well"]
    assert len(found.deferred) == 3
    assert [score.value for score in found.scores] == [0.8]
