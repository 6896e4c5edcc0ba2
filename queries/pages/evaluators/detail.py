"""The page of one evaluator: can its grades be trusted, and does it keep up?"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from tracegrade.evaluators.text.suggestions import hint

from ...catalog import report
from ..choices import read_choices
from ..confirmation import DONE, read_confirmation
from ..errors import PageError
from ..overview.facts import Row, Scale
from ..page import page
from ..refused import explain_address_of_form
from ..visit import Visit
from .distribution import KINDS, draw_distribution
from .standings import Standing, read_standings
from .switches import FORMS

__all__ = ["find_standing", "show_evaluator"]

_MOST_REASONS: Final = 20
_MOST_FORMS: Final = 20
_MOST_VERSIONS: Final = 1_000
_MOST_DISAGREEMENTS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """Rows of the reports that the page shows."""

    bins: Sequence[Row]
    reasons: Sequence[Row]
    forms: Sequence[Row]
    versions: Sequence[Row]
    labels: Sequence[Row]
    disagreements: Sequence[Row]


@page("GET", "/evaluators/{name:path}", parameters=(DONE,))
async def show_evaluator(visit: Visit) -> Response:
    """Show one evaluator."""
    name = visit.path("name")
    choices, (scale, standings, _) = await asyncio.gather(read_choices(visit), read_standings(visit, name))
    standing, shown = find_standing(standings, name), await _read(visit, name, scale)
    if standing is None and not shown.forms:
        raise (
            explain_address_of_form(visit.here, visit.request.query_params)
            if name.endswith(FORMS)
            else _explain_unknown(standings, name)
        )
    return visit.render(
        "evaluators/detail.html",
        choices=choices,
        name=name,
        standing=standing or Standing.unknown(name),
        shown=shown,
        chart=draw_distribution(shown.bins, name, visit.links),
        kinds=KINDS,
        confusion=_fold_labels(shown.labels, standing),
        done=read_confirmation(visit.query(DONE)),
    )


def find_standing(standings: Sequence[Standing], name: str) -> Standing | None:
    """Return the standing of an evaluator; None if it is neither configured nor has scores in the period."""
    return next((each for each in standings if each.name == name), None)


async def _read(visit: Visit, name: str, scale: Scale) -> _Shown:
    window, names = scale.window.parameters, visit.selection.names

    async def rows(report_name: str, **parameters: Any) -> list[dict[str, Any]]:
        return await visit.site.api.rows(report(report_name), evaluator=name, **parameters)

    bins, reasons, forms, versions, labels, disagreements = await asyncio.gather(
        rows("runs_by_lowest_value", **window, **names),
        rows("unscored_by_reason", **window, **names, limit=_MOST_REASONS),
        rows("forms_of_evaluator", limit=_MOST_FORMS),
        visit.site.api.rows(
            report("rates_of_evaluators"), evaluators=[name], by_version=True, limit=_MOST_VERSIONS, **window, **names
        ),
        rows("confusion_of"),
        rows("newest_disagreements", **window, **names, limit=_MOST_DISAGREEMENTS),
    )
    return _Shown(
        bins=bins,
        reasons=reasons,
        forms=forms,
        versions=versions,
        labels=labels,
        disagreements=disagreements,
    )


def _fold_labels(labels: Sequence[Row], standing: Standing | None) -> list[Row]:
    """Return the pairs of labels of the present form, the most frequent first."""
    present = None if standing is None else standing.agreement
    if present is None:
        return []
    form = ("evaluator_version", "config_hash", "judge_model")
    own = [row for row in labels if all(row[column] == present[column] for column in form)]
    return sorted(own, key=lambda row: -int(row["pairs"]))


def _explain_unknown(standings: Sequence[Standing], name: str) -> PageError:
    near = hint(name, sorted(each.name for each in standings))
    advice = f"The configuration has none, and none has scored anything{near}."
    return PageError(404, f"There is no evaluator named {name[:200]!r}", advice, link=("/evaluators", "All evaluators"))
