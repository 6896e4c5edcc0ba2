"""Ensures that the end of each request's body is unambiguous, and that the body is read before the connection closes.

If a request states two ends, two servers may disagree: one reads as content what the other reads as the next request.
If a connection closes while its sender is still sending, the sender loses the answer. Source:
https://www.rfc-editor.org/rfc/rfc9112.html#section-6.3, and section-9.6
"""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tracegrade.queries.http.problem import GUARDING_HEADERS, Problem

__all__ = ["Framed"]

_LINGER_S: Final = 10.0
_LINGER_BYTES: Final = 256 * 2**20
_PIECE_BYTES: Final = 4 * 2**10
"""What a piece counts at least: a tiny one takes as long to read."""


class Framed:
    """Refuses requests that state two ends, and reads the rest of a refused body, so that the sender reads why."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_chunked, has_length = "transfer-encoding" in headers, "content-length" in headers
        if is_chunked and has_length:
            await _refuse_two_ends(scope, receive, send)
            return
        body = _Body(receive, is_open=(is_chunked or has_length) and "expect" not in headers)

        async def answer(message: Message) -> None:
            if body.is_open and message["type"] == "http.response.body" and not message.get("more_body", False):
                await send({**message, "more_body": True})
                await body.discard()
                message = {"type": "http.response.body"}
            await send(message)

        await self._app(scope, body.receive, answer)


_refuse_two_ends: Final = Problem.of(
    400, "malformed", "content-length and transfer-encoding both say where the body ends: send one of them"
).response({**GUARDING_HEADERS, "connection": "close"})


class _Body:
    """The body of a request. `is_open`: more of it will arrive; False if the sender waits for permission (`Expect`)."""

    def __init__(self, receive: Receive, *, is_open: bool) -> None:
        self._receive = receive
        self.is_open = is_open

    async def receive(self) -> Message:
        message = await self._receive()
        self.is_open = message["type"] == "http.request" and message.get("more_body", False)
        return message

    async def discard(self) -> None:
        """Read the rest of the body and drop it, for at most 10 s, 256 MiB and 65,536 pieces."""
        left_bytes = _LINGER_BYTES
        try:
            async with asyncio.timeout(_LINGER_S):
                while self.is_open and left_bytes > 0:
                    left_bytes -= max(len((await self.receive()).get("body", b"")), _PIECE_BYTES)
        except TimeoutError:
            return
