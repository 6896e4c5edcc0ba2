"""Judges that are a Python function: whatever it does, it harms no other pair."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import httpx
import pytest
from tests.support.judge_jobs import Memory, make_llm_evaluator, make_question, make_run, run_judge
from tests.support.llm import nowhere

from tracegrade.evaluators.judges.backends.function import Function
from tracegrade.evaluators.judges.exchange.failure import Unreachable
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.exchange.request import Request

PLACE = "a_module_of_judges"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType(PLACE)
    monkeypatch.setitem(sys.modules, PLACE, module)
    return module


def make_function_judge(function: object, place: Any, **settings: Any) -> Judge:
    place.judge = function
    return Judge(python=f"{PLACE}:judge", requests_per_minute=None, **settings)


async def later(text: str) -> str:
    await asyncio.sleep(0)
    return f'{{"score": {len(text) > 0:d}}}'


class Caller:
    async def __call__(self, text: str) -> str:
        return await later(text)


@pytest.mark.parametrize(
    "function",
    [lambda _: '{"score": 1}', later, Caller(), partial(later)],
    ids=["function", "coroutine function", "object", "part of one"],
)
def test_function_is_asked_and_its_text_is_the_answer(function: object, place: ModuleType) -> None:
    memory = Memory()
    (score,) = run_judge(make_function_judge(function, place), memory=memory).scores
    assert (score.value, score.judge_model) == (1, f"{PLACE}:judge")
    assert (score.input_tokens, score.cost_usd) == (None, None)
    assert memory.statuses == ["ok"]


def test_function_is_given_instructions_form_and_evidence_as_one_text(place: ModuleType) -> None:
    heard: list[str] = []

    def listen(text: str) -> str:
        heard.append(text)
        return '{"score": 1}'

    run_judge(make_function_judge(listen, place), [(make_llm_evaluator(), make_run(response="It rains."))])
    (text,) = heard
    instructions, _, rest = text.partition("\n\n")
    assert instructions == "Judge it."
    assert '"score":{"type":"number"}' in rest
    assert text.endswith("\n\nIt rains.")


def test_functions_that_block_run_side_by_side(place: ModuleType) -> None:
    meeting = threading.Barrier(8, timeout=5)

    def judge_lm(text: str) -> str:
        if not text.endswith("first"):  # which goes alone, to see whether anybody is there
            meeting.wait()
        return '{"score": 1}'

    pairs = [
        (make_llm_evaluator(), make_run(0, "first")),
        *((make_llm_evaluator(), make_run(number)) for number in range(8)),
    ]
    assert len(run_judge(make_function_judge(judge_lm, place, concurrency=8), pairs).scores) == 9


class Mute(Exception):
    __str__ = None  # type: ignore[assignment]  # so that it has no text


def mute(_: str) -> str:
    raise Mute


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (mute, "raised Mute"),
        (lambda _: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda _: 0.5, "returned float; a judge returns its answer as text"),
        (lambda _: sys.exit(3), "raised SystemExit: 3"),
        (lambda _: next(iter(())), "raised StopIteration"),
        (lambda _: "no JSON", "it has no score"),
        (lambda _: "x" * 100_000, "no answer may be longer"),
    ],
    ids=["mute", "raises", "number", "exits", "stops", "no score", "huge"],
)
def test_function_that_fails_is_an_error_of_that_pair(
    function: Callable[[str], object], why: str, place: ModuleType
) -> None:
    (score,) = run_judge(make_function_judge(function, place)).scores
    assert score.status == "error"
    assert why in (score.reason or "")


def test_function_that_cannot_reach_its_own_server_waits(place: ModuleType) -> None:
    def refused(_: str) -> str:
        raise ConnectionRefusedError("nobody there")

    (waiting,) = run_judge(make_function_judge(refused, place)).deferred
    assert f"{PLACE}:judge raised ConnectionRefusedError: nobody there" in waiting.reason


def test_function_whose_client_cannot_reach_its_server_waits(place: ModuleType) -> None:
    url = nowhere()

    async def asks(_: str) -> str:
        async with httpx.AsyncClient() as http:
            return (await http.get(url)).text

    (waiting,) = run_judge(make_function_judge(asks, place)).deferred
    assert f"{PLACE}:judge raised ConnectError" in waiting.reason


def test_function_that_hangs_holds_nothing_up(place: ModuleType) -> None:
    ended = threading.Event()

    def hangs(_: str) -> str:
        ended.wait(20)
        return ""

    (waiting,) = run_judge(make_function_judge(hangs, place, timeout_s=0.05)).deferred
    ended.set()
    assert "did not return within 0.05 s" in waiting.reason


def test_coroutine_that_blocks_waits_and_the_next_one_is_heard(place: ModuleType) -> None:
    ended = threading.Event()

    async def blocks(text: str) -> str:
        if text.endswith("stop"):
            ended.wait(20)
        return '{"score": 1}'

    pairs = [(make_llm_evaluator(), make_run(0, "stop")), (make_llm_evaluator(), make_run(1, "go"))]
    found = run_judge(make_function_judge(blocks, place, timeout_s=0.1, concurrency=1), pairs)
    ended.set()
    assert "did not return within 0.1 s" in found.deferred[0].reason
    assert [score.value for score in found.scores] == [1]


def test_coroutine_whose_loop_another_one_blocked_is_broken_off_and_nobody_else(place: ModuleType) -> None:
    blocks, ended = threading.Event(), threading.Event()

    async def told(text: str) -> str:
        if text.endswith("stop"):
            blocks.set()
            ended.wait(20)
            return ""
        await asyncio.Event().wait()
        return ""

    async def side_by_side() -> None:
        asked = Judge(python=f"{PLACE}:judge")
        function = Function(asked)
        waiting = asyncio.create_task(function.say(Request(asked, make_question("wait"))))
        await asyncio.sleep(0)
        blocking = asyncio.create_task(function.say(Request(asked, make_question("stop"))))
        await asyncio.to_thread(blocks.wait, 20)
        function._loop_thread.leave_where_blocked()
        ended.set()
        with pytest.raises(Unreachable, match="another call"):
            await waiting
        assert (await blocking).text == ""

    place.judge = told  # type: ignore[attr-defined]
    asyncio.run(side_by_side())


def test_coroutines_share_a_loop_and_what_is_bound_to_it(place: ModuleType) -> None:
    loops: set[asyncio.AbstractEventLoop] = set()

    async def told(_: str) -> str:
        loops.add(asyncio.get_running_loop())
        return '{"score": 1}'

    run_judge(make_function_judge(told, place), [(make_llm_evaluator(), make_run(number)) for number in range(5)])
    assert len(loops) == 1


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("no_such_module:judge", "there is no module 'no_such_module'"),
        ("math:judge", "math has no 'judge'"),
        ("math:pi", "math:pi is not a function"),
    ],
    ids=["no module", "no function", "no callable"],
)
def test_function_that_cannot_be_had_waits_for_whoever_named_it(path: str, why: str) -> None:
    (waiting,) = run_judge(Judge(python=path)).deferred
    assert why in waiting.reason
    assert "correct `python` of the judge" in waiting.reason


class Ends(BaseException):
    pass


@pytest.mark.parametrize("raised", [asyncio.CancelledError, SystemExit, KeyboardInterrupt, GeneratorExit, Ends])
@pytest.mark.parametrize("kind", ["function", "coroutine"])
def test_whatever_a_function_raises_is_an_error_of_that_pair_alone(
    kind: str, raised: type[BaseException], place: ModuleType
) -> None:
    def raises(text: str) -> str:
        if text.endswith("bad"):
            raise raised("me")
        return '{"score": 1}'

    async def raises_later(text: str) -> str:
        return raises(text)

    pairs = [(make_llm_evaluator(), make_run(number, text)) for number, text in enumerate(["bad", "good", "bad"])]
    asked = make_function_judge(raises if kind == "function" else raises_later, place, timeout_s=2)
    found = run_judge(asked, pairs)
    assert [score.status for score in found.scores] == ["error", "scored", "error"]
    assert f"{PLACE}:judge raised {raised.__name__}: me" in (found.scores[0].reason or "")


def test_coroutine_that_cancels_its_own_task_is_an_error_of_that_pair(place: ModuleType) -> None:
    async def gives_up(_: str) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)
        return ""

    (score,) = run_judge(make_function_judge(gives_up, place)).scores
    assert "raised CancelledError" in (score.reason or "")
