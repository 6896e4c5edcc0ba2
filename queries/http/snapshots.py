"""Snapshots over HTTP: a copy of the store, as it is at that moment."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..ports import Snapshot
from .api import Api
from .disconnect import wait_for_disconnect
from .endpoint import Call, endpoint
from .pace import ReadTooSlowly, Sending, Turns

__all__ = ["snapshot"]

_PIECE_BYTES: Final = 2**20


@endpoint(
    "POST",
    "/api/v1/snapshot",
    "download the store as a DuckDB file",
    media_types=("application/vnd.duckdb",),
    example="{}",
)
async def snapshot(api: Api, _: Call) -> Response:
    """Answer with the copy. Requests wait for each other; a slow client is cut off if others wait."""
    await api.snapshots.take()
    try:
        copy = await asyncio.get_running_loop().run_in_executor(api.copying, api.commands.snapshot)
    except BaseException:
        api.snapshots.give_back()
        raise
    return _File(copy, api.snapshots)


class _File(Response):
    """Sends a snapshot piece by piece. An answer that is cut off is shorter than its content-length."""

    def __init__(self, snapshot: Snapshot, turns: Turns) -> None:
        headers = {"content-length": str(snapshot.size_bytes)}
        super().__init__(headers=headers, media_type="application/vnd.duckdb")
        self._snapshot = snapshot
        self._turns = turns

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        disconnect = asyncio.ensure_future(wait_for_disconnect(Request(scope, receive)))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._send(Sending(scope, send, others_wait=self._turns.others_wait), disconnect)
            await send({"type": "http.response.body"})
        except ReadTooSlowly:
            return
        finally:
            disconnect.cancel()
            self._snapshot.close()
            self._turns.give_back()

    async def _send(self, sending: Sending, disconnect: asyncio.Future[None]) -> None:
        offset, size_bytes = 0, self._snapshot.size_bytes
        while offset < size_bytes and not disconnect.done():
            piece = await asyncio.to_thread(self._snapshot.read, offset, _PIECE_BYTES)
            offset += len(piece)
            await sending.send(piece)
