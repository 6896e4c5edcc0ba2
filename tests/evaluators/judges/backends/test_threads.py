"""Judges' functions that never return: their threads cannot be ended, so no more are started than can be borne."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest
from tests.support.judge_jobs import Memory, make_question, run_judge

from tracegrade.evaluators.judges.backends.function import Function
from tracegrade.evaluators.judges.exchange.failure import Late, Unready
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.judges.exchange.request import Request

PLACE = "a_module_of_judges_that_hang"


def make_function_judge(function: object, monkeypatch: pytest.MonkeyPatch, timeout_s: float = 60) -> Judge:
    module = ModuleType(PLACE)
    module.judge = function  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, PLACE, module)
    return Judge(python=f"{PLACE}:judge", timeout_s=timeout_s, concurrency=1)


def in_two_kinds(function: Callable[[str], str], kind: str) -> object:
    async def coroutine(text: str) -> str:
        return function(text)

    return function if kind == "function" else coroutine


@pytest.mark.parametrize("kind", ["function", "coroutine"])
def test_no_more_calls_are_made_while_too_many_hang(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def hangs(_: str) -> str:
        ended.wait(20)
        return ""

    async def asked_often() -> int:
        asked = make_function_judge(in_two_kinds(hangs, kind), monkeypatch, timeout_s=0.05)
        function, request = Function(asked), Request(asked, make_question())
        for _ in range(4):
            with pytest.raises(Late):
                await function.say(request)
        with pytest.raises(Unready, match=f"4 calls of {PLACE}:judge hang; .* `tracegrade reload`"):
            await function.say(request)
        ended.set()
        for thread in function._threads._left:
            thread.join(20)
        return function._threads.hanging

    assert asyncio.run(asked_often()) == 0


class NoThread(threading.Thread):
    def start(self) -> None:
        raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("kind", ["function", "coroutine"])
def test_call_for_which_there_is_no_thread_waits(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tracegrade.evaluators.judges.backends.threads.threading", SimpleNamespace(Thread=NoThread))
    memory = Memory()
    (waiting,) = run_judge(make_function_judge(in_two_kinds(str, kind), monkeypatch), memory=memory).deferred
    assert "no thread for a call (can't start new thread); lower `concurrency` of the judge" in waiting.reason
    assert memory.calls == []
