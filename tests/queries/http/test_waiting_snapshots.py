"""The store over HTTP: what comes back, and who waits for whom."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
from starlette.applications import Starlette

from tracegrade.queries.http.access import Door
from tracegrade.queries.http.snapshots import routes
from tracegrade.queries.ports import Annotation, Asked, Backfill, Rebuild, Rebuilding

CONTENT = b"the file of a store"


class OneAtATime:
    """Makes snapshots, each when the one before is closed, and does nothing else."""

    size_bytes = len(CONTENT)

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def snapshot(self) -> OneAtATime:
        assert self._turn.acquire(timeout=10)
        return self

    def read(self, offset: int, size_bytes: int) -> bytes:
        return CONTENT[offset : offset + size_bytes]

    def close(self) -> None:
        self._turn.release()

    def annotate(self, annotations: Sequence[Annotation]) -> list[str]:
        raise AssertionError("only snapshots are made here")

    def pause(self, evaluator: str) -> None:
        raise AssertionError("only snapshots are made here")

    def resume(self, evaluator: str) -> None:
        raise AssertionError("only snapshots are made here")

    def backfill(self, wanted: Backfill) -> Asked:
        raise AssertionError("only snapshots are made here")

    def rebuild(self, wanted: Rebuild) -> Rebuilding:
        raise AssertionError("only snapshots are made here")

    def reload(self) -> list[str]:
        raise AssertionError("only snapshots are made here")


def test_snapshots_that_wait_for_another_leave_threads_to_read_it() -> None:
    async def several() -> list[bytes]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=2))
        app = Starlette(routes=routes(OneAtATime(), Door(None)))
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            answers = await asyncio.gather(*(client.post("/api/v1/snapshot", json={}) for _ in range(5)))
        return [answer.content for answer in answers]

    assert asyncio.run(several()) == [CONTENT] * 5
