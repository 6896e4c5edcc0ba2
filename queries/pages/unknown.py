"""The page for paths that do not exist."""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from .errors import PageError
from .page import page
from .visit import Visit

__all__ = ["show_unknown"]

_PROGRAMS: Final = ("api/", "static/")


@page("GET", "/{path:path}")
async def show_unknown(visit: Visit) -> Response:
    """Say that there is no such page. Programs get a problem document."""
    path = visit.path("path")
    if path.startswith(_PROGRAMS):
        raise HTTPException(404)
    raise PageError(
        404, "There is no such page", f"/{path[:200]} is not a page of this server. The menu has all pages."
    )
