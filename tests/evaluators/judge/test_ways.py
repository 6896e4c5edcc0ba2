"""The ways of asking that are no server: functions and litellm. And what a judge's settings may not say."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import openai
import pytest
from pydantic import ValidationError
from tests.support.judging import Memory, asking, judge, question, sit, trace
from tests.support.llm import Reply, llm, nowhere

from tracegrade.evaluators.judge.failure import Unreachable
from tracegrade.evaluators.judge.function import Function
from tracegrade.evaluators.judge.judge import Judge
from tracegrade.evaluators.judge.price import usd
from tracegrade.evaluators.judge.request import Request

PLACE = "a_module_of_judges"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType(PLACE)
    monkeypatch.setitem(sys.modules, PLACE, module)
    return module


def calling(function: object, place: Any, **settings: Any) -> Judge:
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
    (verdict,) = sit(calling(function, place), memory=memory).verdicts
    assert (verdict.value, verdict.judge_model) == (1, f"{PLACE}:judge")
    assert (verdict.input_tokens, verdict.cost_usd) == (None, None)
    assert memory.statuses == ["ok"]


def test_function_is_given_instructions_form_and_evidence_as_one_text(place: ModuleType) -> None:
    heard: list[str] = []

    def listen(text: str) -> str:
        heard.append(text)
        return '{"score": 1}'

    sit(calling(listen, place), [(asking(), trace(response="It rains."))])
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

    pairs = [(asking(), trace(0, "first")), *((asking(), trace(number)) for number in range(8))]
    assert len(sit(calling(judge_lm, place, concurrency=8), pairs).verdicts) == 9


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda _: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda _: 0.5, "returned float; a judge returns its answer as text"),
        (lambda _: sys.exit(3), "raised SystemExit: 3"),
        (lambda _: next(iter(())), "raised StopIteration"),
        (lambda _: "no JSON", "it has no score"),
        (lambda _: "x" * 100_000, "no verdict is longer"),
    ],
    ids=["raises", "number", "exits", "stops", "no verdict", "huge"],
)
def test_function_that_fails_is_an_error_of_that_pair(
    function: Callable[[str], object], why: str, place: ModuleType
) -> None:
    (verdict,) = sit(calling(function, place)).verdicts
    assert verdict.status == "error"
    assert why in (verdict.reason or "")


def test_function_that_cannot_reach_its_own_server_waits(place: ModuleType) -> None:
    def refused(_: str) -> str:
        raise ConnectionRefusedError("nobody there")

    (waiting,) = sit(calling(refused, place)).postponed
    assert f"{PLACE}:judge raised ConnectionRefusedError: nobody there" in waiting.reason


@pytest.mark.parametrize("client", ["httpx", "openai"])
def test_function_whose_client_cannot_reach_its_server_waits(client: str, place: ModuleType) -> None:
    url = nowhere()

    async def asks(text: str) -> str:
        if client == "httpx":
            async with httpx.AsyncClient() as http:
                return (await http.get(url)).text
        async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as judges:
            return str(await judges.models.list())

    (waiting,) = sit(calling(asks, place)).postponed
    assert f"{PLACE}:judge raised " in waiting.reason


def test_function_that_hangs_holds_nothing_up(place: ModuleType) -> None:
    ended = threading.Event()

    def hangs(_: str) -> str:
        ended.wait(20)
        return ""

    (waiting,) = sit(calling(hangs, place, timeout_s=0.05)).postponed
    ended.set()
    assert "did not return within 0.05 s" in waiting.reason


def test_coroutine_that_blocks_waits_and_the_next_one_is_heard(place: ModuleType) -> None:
    ended = threading.Event()

    async def blocks(text: str) -> str:
        if text.endswith("stop"):
            ended.wait(20)
        return '{"score": 1}'

    pairs = [(asking(), trace(0, "stop")), (asking(), trace(1, "go"))]
    found = sit(calling(blocks, place, timeout_s=0.1, concurrency=1), pairs)
    ended.set()
    assert "did not return within 0.1 s" in found.postponed[0].reason
    assert [verdict.value for verdict in found.verdicts] == [1]


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
        waiting = asyncio.create_task(function.say(Request(asked, question("wait"))))
        await asyncio.sleep(0)
        blocking = asyncio.create_task(function.say(Request(asked, question("stop"))))
        await asyncio.to_thread(blocks.wait, 20)
        function._elsewhere.leave_where_blocked()
        ended.set()
        with pytest.raises(Unreachable, match="another call"):
            await waiting
        assert (await blocking).text == ""

    place.judge = told  # type: ignore[attr-defined]
    asyncio.run(side_by_side())


def test_coroutine_that_cancels_itself_is_an_error_of_that_pair(place: ModuleType) -> None:
    async def gives_up(_: str) -> str:
        raise asyncio.CancelledError

    (verdict,) = sit(calling(gives_up, place)).verdicts
    assert "raised CancelledError" in (verdict.reason or "")


def test_coroutines_share_a_loop_and_what_is_bound_to_it(place: ModuleType) -> None:
    loops: set[asyncio.AbstractEventLoop] = set()

    async def told(_: str) -> str:
        loops.add(asyncio.get_running_loop())
        return '{"score": 1}'

    sit(calling(told, place), [(asking(), trace(number)) for number in range(5)])
    assert len(loops) == 1


async def leaves(_: str) -> str:
    sys.exit(3)


def test_coroutine_that_exits_is_an_error_of_that_pair(place: ModuleType) -> None:
    found = sit(calling(leaves, place), [(asking(), trace(number)) for number in range(2)])
    assert ["raised SystemExit: 3" in (verdict.reason or "") for verdict in found.verdicts] == [True, True]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("no_such_module:judge", "there is no module 'no_such_module'"),
        ("math:judge", "math has no 'judge'"),
        ("math:pi", "math:pi is no function"),
    ],
    ids=["no module", "no function", "no callable"],
)
def test_function_that_cannot_be_had_waits_for_whoever_named_it(path: str, why: str) -> None:
    (waiting,) = sit(Judge(python=path)).postponed
    assert why in waiting.reason
    assert "correct `python` of the judge" in waiting.reason


def test_litellm_is_asked_with_what_is_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    async def acompletion(**body: Any) -> SimpleNamespace:
        asked.append(body)
        told = {"choices": [{"message": {"content": '{"score": 0.5}'}, "finish_reason": "stop"}], "model": "claude"}
        return SimpleNamespace(model_dump=lambda: {**told, "usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    monkeypatch.setitem(sys.modules, "litellm", SimpleNamespace(acompletion=acompletion))
    (verdict,) = sit(Judge(litellm=True, model="anthropic/claude-sonnet-4-5")).verdicts
    assert (verdict.value, verdict.judge_model, verdict.input_tokens) == (0.5, "claude", 7)
    assert verdict.cost_usd == pytest.approx((7 * 3 + 3 * 15) / 1e6)
    assert (asked[0]["model"], asked[0]["num_retries"]) == ("anthropic/claude-sonnet-4-5", 0)
    assert not {"api_key", "api_base"} & asked[0].keys()


def test_litellm_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    (waiting,) = sit(Judge(litellm=True, model="x")).postponed
    assert "pip install 'tracegrade[litellm]'" in waiting.reason


def test_price_is_what_is_configured_or_else_what_is_known_of_that_model_at_that_address() -> None:
    known = Judge()
    assert _cost(known) == pytest.approx(1000 * 0.4e-6 + 100 * 1.6e-6)
    assert _cost(Judge(prices={"input_usd_per_million": 2, "output_usd_per_million": 0})) == pytest.approx(0.002)
    assert _cost(judge("http://127.0.0.1:1/v1", model="gpt-4.1-mini")) is None
    assert _cost(Judge(python="a:b")) is None
    with llm(lambda _: Reply(text='{"score": 1}', usage=None)) as server:
        (verdict,) = sit(judge(server, prices={"input_usd_per_million": 2, "output_usd_per_million": 0})).verdicts
    assert (verdict.input_tokens, verdict.cost_usd) == (None, None)


def _cost(judge: Judge) -> float | None:
    return usd(judge, input_tokens=1000, output_tokens=100)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"python": "a:b", "litellm": True}, "keep either `python` or `litellm`"),
        ({"python": "a:b", "base_url": "http://x"}, "leave out base_url, or `python`"),
        ({"python": "a:b", "mode": "batch"}, "leave out `mode: batch`"),
        ({"litellm": True, "mode": "batch"}, "leave out `mode: batch`"),
        ({"python": "nothing"}, "write it as module:function"),
        ({"base_url": "localhost:8000"}, "write it as http://host:port/v1"),
        ({"base_url": "http://"}, "write it as http://host:port/v1"),
        ({"api_key_env": "sk-proj-secret"}, "'sk-p'… is the name of no environment variable"),
        ({"parameters": {"messages": []}}, "'messages' is for the question to say"),
        ({"parameters": {"stream": True}}, "'stream' is for the question to say"),
        ({"parameters": {"max_tokens": 9}}, "write `max_output_tokens` of the judge"),
        ({"parameters": {"temperature": 1}}, "write `temperature` of the judge"),
        ({"parameters": {"num_retries": 2}, "litellm": True}, "'num_retries' is not for a judge to say"),
        ({"parameters": {"max_retries": 2}}, "'max_retries' is not for a judge to say"),
        ({"parameters": {"api_key": "sk-1"}}, "write `api_key_env` of the judge"),
        ({"concurrency": 0}, "greater than or equal to 1"),
        ({"modell": "x"}, "Extra inputs are not permitted"),
    ],
    ids=str,
)
def test_what_a_judge_cannot_be_is_refused(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why.replace("`", ".")):
        Judge(**settings)


@pytest.mark.parametrize(
    "settings", [{"api_key_env": "sk-proj-secret"}, {"base_url": "secret"}], ids=["key", "address"]
)
def test_what_is_refused_is_not_repeated(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as refused:
        Judge(**settings)
    assert "secret" not in str(refused.value)


def test_every_field_of_a_judge_is_described() -> None:
    assert all(field.description for field in Judge.model_fields.values())


def test_every_field_of_a_judge_has_a_row() -> None:
    told = (Path(__file__).parents[3] / "evaluators/README.md").read_text(encoding="utf-8")
    rows = [line.partition("|")[2].partition("|")[0] for line in told.splitlines() if line.startswith("| `")]
    assert [name for name in Judge.model_fields if not any(f"`{_written(name)}`" in row for row in rows)] == []


def _written(name: str) -> str:
    """As in the configuration, whose times have a unit of their own."""
    return name.removesuffix("_s")
