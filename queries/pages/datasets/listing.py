"""The page of all datasets."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ...catalog import report
from ..page import page
from ..visit import Visit

__all__ = ["show_datasets"]


_MOST: Final = 200


@page("GET", "/datasets", parameters=("search",))
async def show_datasets(visit: Visit) -> Response:
    """Show datasets in their newest version: the first by name, or those whose name contains a text."""
    search = visit.query("search")
    datasets = await visit.site.api.rows(report("latest_datasets"), search=search, limit=_MOST)
    total = datasets[0]["total"] if datasets else 0
    return visit.render("datasets/list.html", datasets=datasets, total=total, search=search)
