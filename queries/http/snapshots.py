"""Snapshots over HTTP: the file of the store, as it is at that moment."""

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

__all__ = ["snapshot"]

_PIECE_BYTES: Final = 2**20
_STALLED_S: Final = 60.0
"""How long a client may take for a piece. While it reads, the store is not checkpointed."""


@endpoint(
    "POST",
    "/api/v1/snapshot",
    "download the store as a DuckDB file",
    media_types=("application/vnd.duckdb",),
    example="{}",
)
async def snapshot(api: Api, _: Call) -> Response:
    """Answer with the file. Requests wait for each other in a separate thread, so that queries can still run."""
    return _File(await asyncio.get_running_loop().run_in_executor(api.snapshots, api.commands.snapshot))


class _File(Response):
    """Sends a snapshot piece by piece. An answer that is cut off is shorter than its content-length."""

    def __init__(self, snapshot: Snapshot) -> None:
        headers = {"content-length": str(snapshot.size_bytes)}
        super().__init__(headers=headers, media_type="application/vnd.duckdb")
        self._snapshot = snapshot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        disconnect = asyncio.ensure_future(wait_for_disconnect(Request(scope, receive)))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await self._send(send, disconnect)
        finally:
            disconnect.cancel()
            self._snapshot.close()

    async def _send(self, send: Send, disconnect: asyncio.Future[None]) -> None:
        offset, size_bytes = 0, self._snapshot.size_bytes
        while offset < size_bytes and not disconnect.done():
            piece = await asyncio.to_thread(self._snapshot.read, offset, _PIECE_BYTES)
            offset += len(piece)
            body = {"type": "http.response.body", "body": piece, "more_body": offset < size_bytes}
            await asyncio.wait_for(send(body), _STALLED_S)
