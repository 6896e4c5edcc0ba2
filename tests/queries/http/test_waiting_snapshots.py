"""The store over HTTP: what comes back, and who waits for whom."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
from tests.support.api import make_api

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


def test_snapshots_that_wait_for_another_leave_threads_to_read_it() -> None:
    async def several() -> list[bytes]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=2))
        app = make_api(commands=OneAtATime())
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
            answers = await asyncio.gather(*(client.post("/api/v1/snapshot", json={}) for _ in range(5)))
        return [answer.content for answer in answers]

    assert asyncio.run(several()) == [CONTENT] * 5
