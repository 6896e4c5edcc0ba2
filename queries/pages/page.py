"""Pages: functions with a common wrapper, which checks access, shows errors as pages, and sets the headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from ..http.access import Access
from ..http.refusal import REFUSING, Refusal, refusal_of
from .access.session import Session
from .errors import PageError
from .selection import BadSelection, Selection
from .site import Site
from .visit import Visit

__all__ = ["HEADERS", "Page", "make_page_routes", "page"]

Method: TypeAlias = Literal["GET", "POST"]
Handler: TypeAlias = Callable[[Visit], Awaitable[Response]]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
"""Headers of every page: no scripts or styles but ours, and no frames."""

_CACHE: Final = "private, no-cache"
_SEE_OTHER: Final = 303


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A path that answers with HTML. An open one is shown without a login."""

    method: Method
    path: str
    handler: Handler
    is_open: bool = False

    def make_route(self, site: Site) -> Route:
        """Return the route of the page with these services."""

        async def answer(request: Request) -> Response:
            session = site.sessions.read(request)
            visit = Visit(site, request, session)
            response = await self._answer(visit)
            if "set-cookie" not in response.headers and not site.sessions.is_kept(session, request):
                site.sessions.keep(session, request, response)
            visit.remember_author(response)
            response.headers.update(HEADERS)
            response.headers.setdefault("cache-control", _CACHE)
            return response

        return Route(self.path, answer, methods=[self.method], name=f"{self.method} {self.path}")

    async def _answer(self, visit: Visit) -> Response:
        try:
            visit.site.control.check(visit.request, Access.HOST)
            if not self.is_open and not _may_see(visit):
                return _ask_for_login(visit)
            if self.method == "POST":
                _check_origin(visit.request)
            return await self.handler(visit)
        except PageError as error:
            return _show_error(visit, error)
        except BadSelection as error:
            link = (visit.request.url.path, "Show this page for the last 24 hours")
            return _show_error(visit, PageError(400, "This link cannot be shown", f"{error}.", link=link))
        except Refusal as refusal:
            return _show_refusal(visit, refusal)
        except REFUSING as error:
            return _show_refusal(visit, refusal_of(error))


def page(method: Method, path: str, *, is_open: bool = False) -> Callable[[Handler], Page]:
    """Return a decorator that turns a function into a page."""

    def declare(handler: Handler) -> Page:
        return Page(method=method, path=path, handler=handler, is_open=is_open)

    return declare


def make_page_routes(pages: Iterable[Page], site: Site) -> list[Route]:
    """Return the routes of pages."""
    return [each.make_route(site) for each in pages]


def _may_see(visit: Visit) -> bool:
    if not visit.site.sessions.needs_login or visit.session.is_logged_in:
        return True
    if "authorization" not in visit.request.headers:
        return False
    visit.site.control.check(visit.request, Access.TOKEN)
    return True


def _ask_for_login(visit: Visit) -> Response:
    url = visit.request.url
    back = f"{url.path}?{url.query}" if url.query else url.path
    ended = "&ended=1" if visit.session.has_ended else ""
    return RedirectResponse(f"/login?next={quote(back, safe='')}{ended}", _SEE_OTHER)


def _check_origin(request: Request) -> None:
    """Refuse a form that another site sends. Browsers name the origin of every form that changes something."""
    origin = request.headers.get("origin")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host", ""):
        raise PageError(403, "Another site has sent this form", f"Nothing was changed: {origin} is not this server.")


def _show_refusal(visit: Visit, refusal: Refusal) -> Response:
    titles = {400: "This cannot be shown", 403: "Refused", 404: "Not found", 503: "Not available now"}
    return _show_error(visit, PageError(refusal.status, titles.get(refusal.status, "Not answered"), str(refusal)))


def _show_error(visit: Visit, error: PageError) -> Response:
    """Answer with the error; what was chosen may be what is wrong, so that nothing of it is used."""
    shown = Visit(visit.site, visit.request, Session(visit.session.browser, visit.session.is_logged_in))
    shown.__dict__["selection"] = Selection()
    return shown.render("error.html", status=error.status, error=error)
