"""Pages: functions with a common wrapper, which checks access, shows errors as pages, and sets the headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ..http.access import CALLER, Access, note_change
from ..http.application import UNEXPECTED
from ..http.body import FORM_BYTES
from ..http.refusal import REASON, REFUSING, Refusal, check_room, refusal_of
from .errors import PageError, as_sentence
from .refused import explain_refusal
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

_SEE_OTHER: Final = 303
_STREAM: Final = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A path that answers with HTML. An open one is shown without a login.

    `parameters` are those of its URL, beside the ones that all pages have; None: any. Others, such as those of a former
    version, are refused, since the page would show something else than the link says. A form has at most `form_bytes`.
    It changes something, which is logged, unless it `only_reads`.
    """

    method: Method
    path: str
    handler: Handler
    is_open: bool = False
    parameters: tuple[str, ...] | None = None
    form_bytes: int = FORM_BYTES
    only_reads: bool = False

    def make_route(self, site: Site) -> Route:
        """Return the route of the page with these services."""

        async def answer(request: Request) -> Response:
            visit = Visit(site, request, site.sessions.read(request), self.form_bytes)
            setattr(request.state, UNEXPECTED, partial(_show_unexpected, visit))
            return _complete(visit, await self._answer(visit))

        return Route(self.path, answer, methods=[self.method], name=f"{self.method} {self.path}")

    async def _answer(self, visit: Visit) -> Response:
        try:
            check_room(visit.request)
            visit.site.control.check(visit.request, Access.HOST)
            if not self.is_open and not _may_see(visit):
                return _ask_for_login(visit)
            if self.method == "POST":
                if not self.only_reads:
                    note_change(visit.request)
                await visit.form()
                if not self.only_reads and not self.is_open:
                    note_change(visit.request, authors=visit.author)
            self._check_parameters(visit)
            return await self.handler(visit)
        except PageError as error:
            return _show_error(visit, error)
        except BadSelection as error:
            link = (visit.here, "Show this page for the last 24 hours")
            return _show_error(visit, PageError(400, "This link cannot be shown", as_sentence(error), link=link))
        except (Refusal, *REFUSING) as error:
            refusal = error if isinstance(error, Refusal) else refusal_of(error)
            setattr(visit.request.state, REASON, refusal.reason)
            return _show_error(visit, explain_refusal(refusal, is_form=self.method == "POST"))

    def _check_parameters(self, visit: Visit) -> None:
        if self.parameters is None:
            return
        known = (*Selection.parameters(), *self.parameters)
        unknown = [name for name in visit.request.query_params if name not in known]
        if unknown:
            names = ", ".join(f"`{name}`" for name in unknown)
            link = visit.links.again(**dict.fromkeys(unknown))
            raise PageError(
                400,
                "This link does not fit this page",
                f"This version has no parameter {names}, so the page would show something else than the link says.",
                link=(link, "Show the page without it" if len(unknown) == 1 else "Show the page without them"),
            )


def page(
    method: Method, path: str, *, parameters: tuple[str, ...] | None = None, **declared: Any
) -> Callable[[Handler], Page]:
    """Return a decorator that turns a function into a page. `declared` are further fields of Page."""

    def declare(handler: Handler) -> Page:
        return Page(method=method, path=path, handler=handler, parameters=parameters, **declared)

    return declare


def make_page_routes(pages: Iterable[Page], site: Site) -> list[Route]:
    """Return the routes of pages."""
    return [each.make_route(site) for each in pages]


def _may_see(visit: Visit) -> bool:
    if visit.session.is_logged_in:
        setattr(visit.request.state, CALLER, f"login {visit.session.short_hash}")
        return True
    if not visit.site.sessions.needs_login:
        return True
    if "authorization" not in visit.request.headers:
        return False
    visit.site.control.check(visit.request, Access.TOKEN)
    return True


def _ask_for_login(visit: Visit) -> Response:
    """Lead to the login, and from there to the page again; for a form, to the page that it was on."""
    is_form = visit.request.method == "POST"
    back = (
        _find_page_of_form(visit.request) or "/"
        if is_form
        else _write_path(f"{visit.here}?{visit.request.query_params}")
    )
    ended = f"&ended={'form' if is_form else 'page'}" if visit.session.has_ended else ""
    return RedirectResponse(f"/login?next={quote(back, safe='')}{ended}", _SEE_OTHER)


def _find_page_of_form(request: Request) -> str | None:
    """Return the path of the page that a form was sent from; None if the browser does not say."""
    referer = request.headers.get("referer")
    return None if referer is None else _write_path(referer)


def _write_path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _complete(visit: Visit, response: Response) -> Response:
    """Add the headers of every page, and the cookies."""
    if "set-cookie" not in response.headers:
        visit.keep_session(response)
    response.headers.update(HEADERS)
    return response


def _show_unexpected(visit: Visit) -> Response:
    """Answer an error of the program. Its text may quote stored data, so it is only logged."""
    advice = f"It is in the log of the server, at {visit.site.now():%Y-%m-%d %H:%M:%S} UTC: please report it."
    return _complete(visit, _show_error(visit, PageError(500, "The server has made an error", advice)))


def _show_error(visit: Visit, error: PageError) -> Response:
    """Answer with the error; what was chosen may be what is wrong, so that nothing of it is used. A script that opens a
    stream gets the text alone."""
    page_of_form = _find_page_of_form(visit.request) if visit.request.method == "POST" else None
    is_own = page_of_form is not None and page_of_form.startswith("/") and page_of_form[1:2] not in ("/", "\\")
    if error.link is None and page_of_form is not None and is_own:
        error.link = (page_of_form, "Back to the page of the form")
    if visit.request.headers.get("accept") == _STREAM:
        response: Response = PlainTextResponse(str(error), error.status)
    else:
        bare = Visit(visit.site, Request({**visit.request.scope, "query_string": b""}), visit.session)
        response = bare.render("error.html", status=error.status, error=error)
    if error.retry_after_s is not None:
        response.headers["retry-after"] = str(error.retry_after_s)
    return response
