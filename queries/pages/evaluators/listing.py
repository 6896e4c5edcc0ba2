"""The page of all evaluators, by what needs attention."""

from __future__ import annotations

from starlette.responses import Response

from ..choices import read_choices
from ..page import page
from ..visit import Visit
from .groups import GROUPS
from .standings import read_standings

__all__ = ["show_evaluators"]


@page("GET", "/evaluators", parameters=("search",))
async def show_evaluators(visit: Visit) -> Response:
    """Show the evaluators."""
    choices = await read_choices(visit)
    search = visit.query("search")
    _, standings, total = await read_standings(visit, search=search)
    return visit.render(
        "evaluators/list.html",
        choices=choices,
        search=search,
        shown=len(standings),
        total=total,
        groups={
            group: (meaning, [each for each in standings if each.group == group]) for group, meaning in GROUPS.items()
        },
    )
