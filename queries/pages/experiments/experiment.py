"""The page of an experiment: its result by evaluator, and the items that failed."""

from __future__ import annotations

from collections import Counter
from typing import Final

from starlette.responses import Response

from ...catalog import report
from ...read.experiments import StoredExperiment, read_result, read_stored
from ..page import page
from ..visit import Visit
from ..whole_number import read_whole_number
from .items import list_items
from .reading import read_experiments

__all__ = ["show_experiment"]

_MOST_ITEMS: Final = 100
_MOST_OTHERS: Final = 20


@page("GET", "/experiments/{id:path}", parameters=("from_item",))
async def show_experiment(visit: Visit) -> Response:
    """Show an experiment by its whole id."""
    experiment_id = visit.path("id")
    experiment, result = await read_experiments(visit, lambda sources: read_result(sources.own, experiment_id))
    items = list_items(result)
    begin = min(read_whole_number(visit, "from_item") or 0, max(len(items) - 1, 0))
    end = begin + _MOST_ITEMS
    return visit.render(
        "experiments/experiment.html",
        experiment=experiment,
        result=result,
        items=items[begin:end],
        item_count=len(items),
        counts=Counter(item.state for item in items),
        begin=begin,
        next=end if end < len(items) else None,
        others=await _read_others(visit, experiment),
    )


async def _read_others(visit: Visit, experiment: StoredExperiment) -> list[StoredExperiment]:
    """Return the experiments that this one can be compared with: those on the same dataset, or of the same name."""
    about = {"name": None, "dataset": experiment.dataset} if experiment.dataset else {"name": experiment.name}
    asked = {"name": None, "id": None, "dataset": None, "limit": _MOST_OTHERS + 1, **about}
    found = [read_stored(row) for row in await visit.site.api.rows(report("matching_experiments"), **asked)]
    return [other for other in found if other.experiment_id != experiment.experiment_id]
