"""The page that compares two experiments: what changed, and which items flipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from tracegrade.evaluators.experiments.comparison import Comparison, Difference, Flip, compare_experiments
from tracegrade.evaluators.experiments.result import ExperimentResult

from ...read.experiments import StoredExperiment, read_result
from ...read.source import Sources
from ..errors import PageError
from ..page import page
from ..visit import Visit
from .items import list_items, show_input
from .reading import read_experiments

__all__ = ["compare"]

_BAD_REQUEST: Final = 400
_MOST_FLIPS: Final = 200


@dataclass(frozen=True, slots=True)
class ShownFlip:
    """An item that flipped according to an evaluator, with its input and its runs before and after, by their ids."""

    evaluator: str
    flip: Flip
    input: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@page("GET", "/experiments/compare", parameters=("before", "after"))
async def compare(visit: Visit) -> Response:
    """Compare two experiments on the items that both have."""
    before, after = visit.query("before"), visit.query("after")
    if before is None or after is None or before == after:
        link = (visit.links.to("experiments"), "Choose two experiments")
        raise PageError(
            _BAD_REQUEST, "Two experiments are compared", "Choose one as before, another as after.", link=link
        )

    def read(sources: Sources) -> tuple[tuple[StoredExperiment, ExperimentResult], ...]:
        return read_result(sources.own, before), read_result(sources.own, after)

    (old, old_result), (new, new_result) = await read_experiments(visit, read)
    comparison = compare_experiments(old_result, new_result)
    flips = list(_list_flips(comparison, old_result, new_result))
    return visit.render(
        "experiments/compare.html",
        before=old,
        after=new,
        comparison=comparison,
        flips=flips[:_MOST_FLIPS],
        flip_count=len(flips),
        worse=_list_moved(comparison, is_worse=True),
        better=_list_moved(comparison, is_worse=False),
        unscored=_list_unscored(comparison, old_result, new_result),
        inputs={name: show_input(item) for name, item in new_result.items.items()},
    )


def _list_moved(comparison: Comparison, *, is_worse: bool) -> list[str]:
    """Return the evaluators whose pass rate, or else whose mean, got worse or better beyond chance."""
    moved = []
    for each in comparison.evaluators:
        difference = each.pass_rate or each.mean
        if difference is not None and _has_moved(difference, is_worse=is_worse):
            moved.append(each.evaluator)
    return moved


def _has_moved(difference: Difference, *, is_worse: bool) -> bool:
    interval = difference.interval
    return interval is not None and (interval.high < 0 if is_worse else interval.low > 0)


def _list_flips(comparison: Comparison, before: ExperimentResult, after: ExperimentResult) -> Iterator[ShownFlip]:
    """Yield the items that flipped, those that got worse first."""
    old, new = _group_runs(before), _group_runs(after)
    for direction in ("worse", "better"):
        for each in comparison.evaluators:
            for flip in each.flips:
                if flip.direction == direction:
                    item = flip.item_id
                    yield ShownFlip(each.evaluator, flip, show_input(after.items[item]), old[item], new[item])


def _list_unscored(comparison: Comparison, *results: ExperimentResult) -> list[list[str]]:
    """Return the ids of the shared items that have no score in one result alone: in the first, in the second."""
    without = [{each.item.id for each in list_items(result) if each.state == "no score"} for result in results]
    return [[item for item in comparison.shared if item in own - other] for own, other in (without, without[::-1])]


def _group_runs(result: ExperimentResult) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of the runs by item."""
    found: dict[str, tuple[str, ...]] = {}
    for run in result.runs:
        ids = (run.agent_trace_id,) if run.agent_trace_id is not None else ()
        found[run.item.id] = (*found.get(run.item.id, ()), *ids)
    return found
