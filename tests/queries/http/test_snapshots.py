"""A snapshot over HTTP, for a client that hangs up."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.support.api import make_api

HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]
SCOPE = {"type": "http", "method": "POST", "path": "/api/v1/snapshot", "query_string": b"", "headers": HEADERS}


class Large:
    """A snapshot of many pieces, which counts how many are read."""

    size_bytes = 1_000 * 2**20

    def __init__(self) -> None:
        self.pieces = 0
        self.is_closed = False

    def read(self, offset: int, size_bytes: int) -> bytes:
        self.pieces += 1
        return bytes(size_bytes)

    def close(self) -> None:
        self.is_closed = True


class Commands:
    def __init__(self, snapshot: Large) -> None:
        self.snapshot = lambda: snapshot


def test_snapshot_whose_client_hangs_up_is_not_read_any_further() -> None:
    large = Large()
    commands: Any = Commands(large)
    messages = [{"type": "http.request", "body": b"{}", "more_body": False}]

    async def run() -> None:
        begun = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await begun.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:  # which, to a client that has gone, does nothing
            if message["type"] == "http.response.body":
                begun.set()

        await make_api(commands=commands)(SCOPE, receive, send)

    asyncio.run(run())
    assert large.is_closed
    assert large.pieces < 10
