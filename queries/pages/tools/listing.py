"""The page of all tools: which is at fault?"""

from __future__ import annotations

from starlette.responses import Response

from ...catalog import report
from ..choices import read_choices
from ..page import page
from ..visit import Visit
from .cards import MOST_TOOLS, read_cards, select

__all__ = ["show_tools"]


@page("GET", "/tools", parameters=("search",))
async def show_tools(visit: Visit) -> Response:
    """Show the tools that were called in the chosen period, and those that were only offered."""
    search = visit.query("search")
    cards, total = await read_cards(visit, search=search)
    about = {"search": search, "limit": MOST_TOOLS}
    uncalled = await visit.site.api.rows(report("offers_of_tools"), **select(visit), **about)
    return visit.render(
        "tools/list.html",
        choices=await read_choices(visit),
        cards=cards,
        total=total,
        search=search,
        uncalled=uncalled,
    )
