"""The page of all experiments, from which two are chosen to compare."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ...catalog import report
from ...read.experiments import read_stored
from ..page import page
from ..visit import Visit

__all__ = ["show_experiments"]

_MOST: Final = 200


@page("GET", "/experiments", parameters=("name", "dataset"))
async def show_experiments(visit: Visit) -> Response:
    """Show the newest experiments: all, those of a name, or those on a dataset."""
    name, dataset = visit.query("name"), visit.query("dataset")
    about = {"name": name, "id": None, "dataset": dataset, "limit": _MOST + 1}
    rows = await visit.site.api.rows(report("matching_experiments"), **about)
    return visit.render(
        "experiments/list.html",
        experiments=[read_stored(row) for row in rows[:_MOST]],
        is_cut=len(rows) > _MOST,
        most=_MOST,
        name=name,
        dataset=dataset,
    )
