"""Lets pages of allowed origins call the API from a browser. Source: https://fetch.spec.whatwg.org/#http-cors-protocol

Starlette's own middleware is not used, since its origins cannot change while the server runs.
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .access import Access, AccessControl
from .origins import AllowedOrigins
from .refusal import Refusal

__all__ = ["Cors"]

_EXPOSED: Final = "retry-after, x-tracegrade-elapsed-ms, x-tracegrade-rows, x-tracegrade-truncated"
_PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "accept, authorization, content-type",
    "access-control-max-age": "600",
}


class Cors:
    """Answers preflight requests of allowed origins, and marks the answers that their pages may read.

    Cookies play no part, so credentials are not allowed: a page sends the token itself. The name of the server must be
    allowed as well.
    """

    def __init__(self, app: ASGIApp, control: AccessControl, origins: AllowedOrigins) -> None:
        self._app = app
        self._control = control
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._origins:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        origin = request.headers.get("origin")
        allowed = origin if origin in self._origins else None

        async def mark(message: Message) -> None:
            if message["type"] == "http.response.start":
                _mark(MutableHeaders(scope=message), allowed)
            await send(message)

        if allowed is not None and _is_preflight(request):
            await self._answer_preflight(request)(scope, receive, mark)
            return
        await self._app(scope, receive, mark)

    def _answer_preflight(self, request: Request) -> Response:
        try:
            self._control.check(request, Access.HOST)
        except Refusal as refusal:
            return refusal.response()
        return Response(status_code=204, headers=_PREFLIGHT)


def _is_preflight(request: Request) -> bool:
    return request.method == "OPTIONS" and "access-control-request-method" in request.headers


def _mark(headers: MutableHeaders, origin: str | None) -> None:
    headers.add_vary_header("Origin")
    if origin is not None:
        headers["access-control-allow-origin"] = origin
        headers["access-control-expose-headers"] = _EXPOSED
