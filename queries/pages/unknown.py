"""The page for paths that do not exist."""

from __future__ import annotations

from typing import ClassVar

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.responses import Response
from starlette.routing import Match

from .errors import PageError
from .page import page
from .refused import explain_address_of_form
from .visit import Visit

__all__ = ["show_unknown"]


class _PagePath(StringConvertor):
    """Paths that people open. Programs that ask for others get a problem document."""

    regex: ClassVar[str] = "(?!api/|static/).*"


register_url_convertor("page", _PagePath())


@page("GET", "/{path:page}", is_open=True)
async def show_unknown(visit: Visit) -> Response:
    """Say that there is no such page."""
    path = visit.path("path")
    if any(route.matches(visit.request.scope)[0] is Match.PARTIAL for route in visit.request.app.routes):
        raise explain_address_of_form(visit.here, visit.request.query_params)
    raise PageError(
        404, "There is no such page", f"/{path[:200]} is not a page of this server. The menu has all pages."
    )
