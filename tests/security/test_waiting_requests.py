"""Many requests that take long: they wait for each other, and keep nobody else from a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

import httpx
import pytest
from tests.support.api import make_api

from tracegrade.queries.ports import Annotation, Backfill, BackfillSummary

BACKFILL = ("/api/v1/backfill", {"since": "2026-01-01T00:00:00Z"})
ANNOTATION = ("/api/v1/annotations", {"target": {"trace_id": "0" * 32}, "name": "polite", "value": 1, "author": "me"})


class Slow:
    """Takes its time for each backfill and annotation, until it may go on, and pauses at once."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()

    def backfill(self, wanted: Backfill) -> BackfillSummary:
        assert self.may_go_on.wait(60)
        return BackfillSummary(runs=1, requested={}, requested_before={}, deferred={}, paused=(), scheduled={})

    def annotate(self, given: Sequence[Annotation]) -> list[str]:
        assert self.may_go_on.wait(60)
        return ["id"]

    def pause(self, evaluator: str) -> None:
        pass


def talk_to_slow_api(talk: Callable[[httpx.AsyncClient, Slow], Awaitable[None]]) -> None:
    """Talks to an API that is slow."""

    async def go() -> None:
        slow = Slow()
        transport = httpx.ASGITransport(make_api(commands=slow))
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
                await talk(client, slow)
        finally:
            slow.may_go_on.set()

    asyncio.run(go())


@pytest.mark.parametrize(("path", "body"), [BACKFILL, ANNOTATION], ids=["backfills", "annotations"])
def test_requests_that_take_long_leave_threads_to_assembly_and_to_other_commands(path: str, body: object) -> None:
    async def talk(client: httpx.AsyncClient, slow: Slow) -> None:
        many = [asyncio.ensure_future(client.post(path, json=body)) for _ in range(24)]
        await asyncio.sleep(0.1)
        assert await asyncio.wait_for(asyncio.to_thread(lambda: 1), 10) == 1  # as assembly does
        paused = await asyncio.wait_for(client.post("/api/v1/evaluators/tool_error/pause", json={}), 10)
        assert paused.status_code == 200
        slow.may_go_on.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}

    talk_to_slow_api(talk)


def test_backfill_behind_too_many_others_is_told_to_come_again() -> None:
    path, body = BACKFILL

    async def talk(client: httpx.AsyncClient, slow: Slow) -> None:
        many = [asyncio.ensure_future(client.post(path, json=body)) for _ in range(24)]
        await asyncio.sleep(0.1)
        refused = await asyncio.wait_for(client.post(path, json=body), 10)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        assert "24 requests of this kind (backfills)" in refused.json()["detail"]
        slow.may_go_on.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}
        assert (await client.post(path, json=body)).status_code == 200

    talk_to_slow_api(talk)
