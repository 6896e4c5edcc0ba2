"""The loop on which judges' coroutines run: nothing that one of them does ends it for the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from tracegrade.evaluators.judges.backends.loop_thread import LoopThread, Raised, _Running
from tracegrade.evaluators.judges.backends.threads import Threads


async def _answers() -> str:
    await asyncio.sleep(0.01)
    return "heard"


async def _stops() -> str:
    asyncio.get_running_loop().stop()
    return await _answers()


async def _cancels_all() -> str:
    for task in asyncio.all_tasks():
        task.cancel()
    return await _answers()


async def _exits_aside() -> str:
    async def exits() -> None:
        raise SystemExit(3)

    aside = asyncio.create_task(exits())
    said = await _answers()
    assert isinstance(aside.exception(), SystemExit)
    return said


async def _one_by_one(loop_thread: LoopThread, *calls: Callable[[], Awaitable[str]]) -> list[object]:
    try:
        async with asyncio.timeout(5):
            return [await _heard(loop_thread, call) for call in calls]
    finally:
        loop_thread.end()


async def _heard(loop_thread: LoopThread, call: Callable[[], Awaitable[str]]) -> object:
    try:
        return await loop_thread.awaited(call())
    except Raised as raised:
        return type(raised.what)


@pytest.mark.parametrize("one", [_stops, _exits_aside], ids=["stopped", "left"])
def test_loop_that_one_ends_goes_on_for_all(one: Callable[[], Awaitable[str]]) -> None:
    async def side_by_side() -> list[object]:
        loop_thread = LoopThread(Threads())
        try:
            async with asyncio.timeout(5):
                return await asyncio.gather(*[loop_thread.awaited(call()) for call in (_answers, one, _answers)])
        finally:
            loop_thread.end()

    assert asyncio.run(side_by_side()) == ["heard"] * 3


def test_loop_on_which_one_cancels_all_is_there_for_the_next() -> None:
    told = asyncio.run(_one_by_one(LoopThread(Threads()), _cancels_all, _answers))
    assert told == [asyncio.CancelledError, "heard"]


def test_loop_that_somebody_closed_is_replaced() -> None:
    loop_thread = LoopThread(Threads())
    loop = asyncio.new_event_loop()
    loop.close()
    loop_thread._running = _Running(loop, threading.current_thread(), threading.Event())
    assert asyncio.run(_one_by_one(loop_thread, _answers)) == ["heard"]
