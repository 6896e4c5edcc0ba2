"""The store over HTTP: `POST /api/v1/snapshot` with `{}` answers with its file, as it is at that moment."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..ports import Commands, Snapshot
from .access import HEADERS, Door, refusing
from .export import left

__all__ = ["routes"]

_PIECE_BYTES: Final = 2**20
_PATIENCE_S: Final = 60.0
"""How long a client may take for a piece. While it reads, the store is not checkpointed."""


def routes(commands: Commands, door: Door) -> list[Route]:
    """The route. Snapshots wait for each other in a thread of their own, so that others are left to read the first."""
    waiting = ThreadPoolExecutor(max_workers=1, thread_name_prefix="snapshot")

    @refusing
    async def snapshot(request: Request) -> Response:
        await door.body(request)
        return _File(await asyncio.get_running_loop().run_in_executor(waiting, commands.snapshot))

    return [Route("/api/v1/snapshot", snapshot, methods=["POST"], name="snapshot")]


class _File(Response):
    """A snapshot, piece by piece, for as long as somebody takes them: meanwhile the store is not checkpointed. One that
    breaks off is shorter than its content-length."""

    def __init__(self, snapshot: Snapshot) -> None:
        headers = {**HEADERS, "content-length": str(snapshot.size_bytes)}
        super().__init__(headers=headers, media_type="application/vnd.duckdb")
        self._snapshot = snapshot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        leaving = asyncio.ensure_future(left(Request(scope, receive)))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._send(send, leaving)
        finally:
            leaving.cancel()
            self._snapshot.close()

    async def _send(self, send: Send, leaving: asyncio.Future[None]) -> None:
        offset, size_bytes = 0, self._snapshot.size_bytes
        while offset < size_bytes and not leaving.done():
            piece = await asyncio.to_thread(self._snapshot.read, offset, _PIECE_BYTES)
            offset += len(piece)
            body = {"type": "http.response.body", "body": piece, "more_body": offset < size_bytes}
            await asyncio.wait_for(send(body), _PATIENCE_S)
