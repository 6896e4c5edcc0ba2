"""What pages of other sites may do with this port, decided in one place for pages, API, files and metrics.

Browsers say which site a request comes from (Fetch Metadata), and a page cannot change that. Clients that are no
browsers send nothing of it, and go on. Sources: https://www.w3.org/TR/fetch-metadata/,
https://fetch.spec.whatwg.org/#http-cors-protocol (Starlette's own middleware is not used, since its origins cannot
change while the server runs).
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..http.access import Access, AccessControl
from ..http.origins import AllowedOrigins
from ..http.problem import GUARDING_HEADERS
from ..http.refusal import REASON, Refusal
from .page import HEADERS as PAGE_HEADERS
from .rendering import Templates

__all__ = ["OtherSites"]

_API: Final = "/api/"
_OWN: Final = frozenset({"none", "same-origin"})
"""Requests by the reader, such as for a bookmark, and by our own pages."""

_IDS: Final = frozenset({"at", "number", "span", "step", "turn"})
"""Parameters that name a place on a page. Whatever else a link has may search content."""

_DOWNLOAD: Final = ".json"
"""A page notices that a window which it has opened got a file, and so whether there is one."""

_EXPOSED: Final = "retry-after, x-tracegrade-elapsed-ms, x-tracegrade-rows, x-tracegrade-truncated"
_PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": "accept, authorization, content-type",
    "access-control-max-age": "600",
}


class OtherSites:
    """Refuses requests that pages of other sites make, except those of allowed origins to the API, and links.

    A link of another site to what is named by the path is followed. If its address has other parameters, which may
    search or run a query, the same short page is shown for all of them first: else the time, the length or the status
    of the answer would tell the other site something about what is stored.

    Cookies play no part in requests of allowed origins: their pages send the token themselves. The name of the server
    must be allowed as well.
    """

    def __init__(self, app: ASGIApp, control: AccessControl, origins: AllowedOrigins, templates: Templates) -> None:
        self._app = app
        self._control = control
        self._origins = origins
        self._asking = templates.render("other_site.html", is_link=True)
        self._refusing = templates.render("other_site.html", is_link=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        origin = request.headers.get("origin")
        allowed = origin if origin in self._origins else None

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                _complete(MutableHeaders(scope=message), allowed, has_origins=bool(self._origins))
            await send(message)

        answer = self._answer(request, allowed) or self._app
        await answer(scope, receive, complete)

    def _answer(self, request: Request, allowed: str | None) -> Response | None:
        """Return the answer to a request that is not passed on to the application."""
        is_api = request.scope["path"].startswith(_API)
        if allowed is not None and is_api and request.headers.get("sec-fetch-mode", "cors") == "cors":
            return self._answer_preflight(request) if _is_preflight(request) else None
        if not _is_foreign(request):
            return None
        if _is_link(request):
            return None if _is_address(request) else HTMLResponse(self._asking, headers=PAGE_HEADERS)
        setattr(request.state, REASON, "other_site")
        if not is_api and request.headers.get("sec-fetch-mode", "navigate") == "navigate":
            return HTMLResponse(self._refusing, 403, PAGE_HEADERS)
        advice = (
            "a page of another site has sent this; allow its origin in `listen.allowed_origins` to let it use the API"
        )
        return Refusal(403, "forbidden", advice).response()

    def _answer_preflight(self, request: Request) -> Response:
        try:
            self._control.check(request, Access.HOST)
        except Refusal as refusal:
            return refusal.response()
        return Response(status_code=204, headers=_PREFLIGHT)


def _is_foreign(request: Request) -> bool:
    """Return whether a page of another site sends the request.

    Browsers say so over TLS and to the loopback only. Elsewhere they at least name the origin of forms and of requests
    whose answer a script wants to read.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in _OWN or _is_ahead(request)  # Chromium calls what it loads ahead the reader's, whoever asks
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("://")[2] != request.headers.get("host", "")


def _is_link(request: Request) -> bool:
    """Return whether the request opens a page in a window of its own, by a link that a reader sees."""
    headers = request.headers
    is_navigation = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return request.method == "GET" and is_navigation and not _is_ahead(request)


def _is_ahead(request: Request) -> bool:
    """Return whether the browser loads ahead what a reader may open; ours is never to be loaded so."""
    return "sec-purpose" in request.headers or "purpose" in request.headers


def _is_address(request: Request) -> bool:
    """Return whether a link only names what to show, by ids that a stranger cannot guess."""
    return request.query_params.keys() <= _IDS and not request.scope["path"].endswith(_DOWNLOAD)


def _is_preflight(request: Request) -> bool:
    return request.method == "OPTIONS" and "access-control-request-method" in request.headers


def _complete(headers: MutableHeaders, origin: str | None, *, has_origins: bool) -> None:
    for name, value in GUARDING_HEADERS.items():
        headers.setdefault(name, value)
    if has_origins:
        headers.add_vary_header("Origin")
    if origin is not None:
        headers["access-control-allow-origin"] = origin
        headers["access-control-expose-headers"] = _EXPOSED
