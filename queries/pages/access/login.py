"""The form that asks for the token, and the end of a session."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ..page import page
from ..visit import Visit

__all__ = ["log_in", "log_out", "show_login"]

_UNAUTHORIZED: Final = 401


@page("GET", "/login", is_open=True, parameters=("next", "ended"))
async def show_login(visit: Visit) -> Response:
    """Ask for the token, unless it is known already."""
    target = _own_path(visit.query("next"))
    if not visit.site.sessions.needs_login or visit.session.is_logged_in:
        return visit.redirect(target)
    return visit.render("login.html", next=target, ended=visit.query("ended"), is_wrong=False)


@page("POST", "/login", is_open=True)
async def log_in(visit: Visit) -> Response:
    """Compare the token, and begin a login."""
    fields = await visit.form()
    target = _own_path("".join(fields.get("next", [])))
    if not visit.site.control.accepts(visit.request, "".join(fields.get("token", []))):
        return visit.render("login.html", status=_UNAUTHORIZED, next=target, ended=None, is_wrong=True)
    response = visit.redirect(target)
    visit.site.sessions.begin_login(visit.session, visit.request, response)
    return response


@page("POST", "/logout", is_open=True)
async def log_out(visit: Visit) -> Response:
    """End the login of this browser."""
    response = visit.redirect("/login" if visit.site.sessions.needs_login else "/")
    visit.site.sessions.end_login(visit.session, visit.request, response)
    return response


def _own_path(target: str | None) -> str:
    """Return a path of this server to go on to; anything else could lead to another site. Browsers take `\\` for `/`,
    and leave out control characters."""
    is_path = target is not None and target.startswith("/") and not target.startswith("//")
    return target if target is not None and is_path and target.isprintable() and "\\" not in target else "/"
