"""The page of all tools: which is at fault?"""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ...catalog import report
from ..choices import read_choices
from ..page import page
from ..visit import Visit
from .cards import read_cards, select

__all__ = ["show_tools"]

_MOST_OFFERED: Final = 1_000


@page("GET", "/tools", parameters=())
async def show_tools(visit: Visit) -> Response:
    """Show the tools that were called in the chosen period, and those that were only offered."""
    cards = await read_cards(visit)
    offers = await visit.site.api.rows(report("offers_of_tools"), **select(visit), limit=_MOST_OFFERED)
    called = {card.tool for card in cards}
    return visit.render(
        "tools/list.html",
        choices=await read_choices(visit),
        cards=cards,
        uncalled=[offer for offer in offers if offer["tool"] not in called],
    )
