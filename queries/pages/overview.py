"""The overview: is something wrong, since when, and where?"""

from __future__ import annotations

from starlette.responses import Response

from .choices import read_choices
from .page import page
from .visit import Visit

__all__ = ["show_overview"]


@page("GET", "/", parameters=())
async def show_overview(visit: Visit) -> Response:
    """Show the overview of the chosen period."""
    return visit.render("overview.html", choices=await read_choices(visit))
