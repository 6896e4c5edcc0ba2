from __future__ import annotations

import asyncio
import threading
import time

from tracegrade.collector.system.wake_event import WakeEvent


def test_event_that_was_set_before_anybody_waited_ends_the_next_wait_and_no_further_one() -> None:
    event = WakeEvent()
    event.set()
    event.set()

    async def wait_twice() -> bool:
        await asyncio.wait_for(event.wait(), 10)
        waiting = asyncio.create_task(event.wait())
        await asyncio.sleep(0)
        is_waiting = not waiting.done()
        event.set()
        await asyncio.wait_for(waiting, 10)
        return is_waiting

    assert asyncio.run(wait_twice())


def test_wait_is_ended_from_another_thread() -> None:
    event = WakeEvent()

    async def wait() -> None:
        waiting = asyncio.create_task(event.wait())
        await asyncio.sleep(0)
        threading.Thread(target=event.set).start()
        await asyncio.wait_for(waiting, 10)

    asyncio.run(wait())


def test_wait_ends_after_its_time() -> None:
    event = WakeEvent()
    began = time.monotonic()
    asyncio.run(event.wait(0.01))
    assert time.monotonic() - began >= 0.01


def test_event_is_awaited_in_one_event_loop_after_the_other() -> None:
    event = WakeEvent()
    for _ in range(2):
        asyncio.run(event.wait(0))
        event.set()
        asyncio.run(event.wait())
