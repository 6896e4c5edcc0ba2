"""The page of all datasets."""

from __future__ import annotations

from starlette.responses import Response

from ...catalog import report
from ..page import page
from ..visit import Visit

__all__ = ["show_datasets"]


@page("GET", "/datasets", parameters=())
async def show_datasets(visit: Visit) -> Response:
    """Show every dataset in its newest version."""
    return visit.render("datasets/list.html", datasets=await visit.site.api.rows(report("latest_datasets")))
