"""The page of the queue: one run at a time, and what evaluators say of the one before."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from tracegrade.evaluators.catalog.configure import definition_of
from tracegrade.evaluators.definition.registry import UnknownEvaluator

from ...answers.score import Score
from ...catalog import report
from ...http.labelling import LabellingEntry
from ...http.reads import answer_read
from ...ports import RunningEvaluator
from ...read.scores import ScoreList, read_score_page
from ...read.window import ANY_TIME
from ..choices import read_choices
from ..confirmation import DONE, read_confirmation, read_label
from ..page import page
from ..visit import Visit
from ..whole_number import read_whole_number
from .subject import read_subject

__all__ = ["show_queue"]

_MOST: Final = 50
_MOST_OPINIONS: Final = 100


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A label that was just given, and the scores on the same target; `own` is None if it was removed."""

    own: Score | None
    opinions: list[Score]

    @property
    def of_name(self) -> Score | None:
        """What the evaluator says under whose name the label was given."""
        name = None if self.own is None else self.own.evaluator
        return next((score for score in self.opinions if score.evaluator == name), None)


@page("GET", "/labelling", parameters=("evaluator", "place", DONE))
async def show_queue(visit: Visit) -> Response:
    """Show the run that is most worth a label, or another one of the queue."""
    evaluator = visit.query("evaluator")
    window = {"since": visit.window.since, "until": visit.window.until}
    rows, choices, running, labelled = await asyncio.gather(
        visit.site.api.rows(report("labelling"), limit=_MOST, evaluator=evaluator, **window, **visit.selection.names),
        read_choices(visit),
        visit.site.api.list_evaluators(),
        _read_labelled(visit),
    )
    queue = [LabellingEntry.model_validate(row) for row in rows]
    place = min(max(read_whole_number(visit, "place") or 1, 1), len(queue))
    entry = queue[place - 1] if queue else None
    return visit.render(
        "labelling/queue.html",
        choices=choices,
        evaluator=evaluator,
        evaluators=[each.name for each in running if each.scope != "tool"],
        queue=queue,
        place=place,
        entry=entry,
        subject=None if entry is None else await read_subject(visit, entry),
        question=None if entry is None else _describe(running, entry.evaluator),
        labelled=labelled,
        done=read_confirmation(visit.query(DONE)),
    )


def _describe(running: Iterable[RunningEvaluator], name: str) -> str | None:
    """Return what the evaluator looks at, in the words of the catalogue."""
    kind = next((each.type for each in running if each.name == name), name)
    with suppress(UnknownEvaluator):
        return definition_of(kind).summary
    return None


async def _read_labelled(visit: Visit) -> _Labelled | None:
    """Return the label that the URL names, with what evaluators say of its target."""
    label = read_label(visit.query(DONE))
    if label is None:
        return None
    score_id, target = label
    scores = ScoreList(window=ANY_TIME, target=target)
    read = await answer_read(
        visit.site.api,
        visit.request,
        lambda sources: read_score_page(scores, sources, limit=_MOST_OPINIONS).scores,
    )
    own = next((score for score in read if score.score_id == score_id), None)
    others = [score for score in read if score is not own and score.status == "scored" and score.target_id == target]
    return _Labelled(own, sorted(others, key=lambda score: (score.evaluator_kind == "human", score.evaluator)))
