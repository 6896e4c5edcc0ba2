"""The page of the list of runs: which, and what do they share?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from starlette.responses import Response

from ...filter import FIELDS, quote
from ...http.reads import answer_read
from ...read.run_keys import NEWEST, count_runs
from ...read.runs import Page, read_page
from ...read.source import Sources
from ...read.timeline import OUTCOMES, find_step, read_begin, read_differences, read_timeline
from ..charts.bars import BarChart
from ..choices import read_choices
from ..confirmation import DONE, read_confirmation
from ..live import make_live_link, read_newest
from ..page import page
from ..selection import format_url_time
from ..timeline import KINDS, lay_out_timeline
from ..visit import Visit
from .as_sql import link_to_sql
from .nothing import Exclusion, read_exclusions
from .query import BadFilter, RunsQuery, read_query
from .wrong_filter import show_wrong_filter

__all__ = ["show_runs"]

_LIMIT: Final = 50
_SORTS: Final[Mapping[str, str]] = {
    NEWEST: "newest first",
    "started_at": "oldest first",
    "-duration": "longest first",
    "-cost": "most expensive first",
    "-tokens": "most tokens first",
    "-calls": "most calls first",
    "worst": "lowest score first",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was read for the page."""

    page: Page
    count: int
    total: int
    timeline: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    exclusions: list[Exclusion]
    begin: datetime


@page("GET", "/runs", parameters=("q", "sort", "cursor", DONE))
async def show_runs(visit: Visit) -> Response:
    """Show the runs that a filter selects."""
    choices = await read_choices(visit)
    try:
        query = read_query(visit)
    except BadFilter as error:
        return show_wrong_filter(visit, error, choices)
    newest = await read_newest(visit)
    shown = await answer_read(
        visit.site.api, visit.request, lambda sources: _read(visit, query, sources), run_filter=query.runs.run_filter
    )
    return visit.render(
        "runs/list.html",
        choices=choices,
        fields=FIELDS.values(),
        sorts=_SORTS,
        text=query.text,
        sort=query.runs.sort,
        days=[(day, list(rows)) for day, rows in groupby(shown.page.rows, key=lambda row: row["started_at"].date())],
        count=shown.count,
        total=shown.total,
        chart=_lay_out(visit, shown),
        kinds=KINDS,
        differences=[_describe(visit, query.text, row) for row in shown.differences],
        as_sql=link_to_sql(visit, query.runs.run_filter),
        done=read_confirmation(visit.query(DONE)),
        next=query.make_cursor(shown.page.last),
        exclusions=[(each, visit.links.again(**each.parameters)) for each in shown.exclusions],
        is_first=query.after is None,
        live=make_live_link(visit, newest, query.text or None),
    )


def _read(visit: Visit, query: RunsQuery, sources: Sources) -> _Shown:
    runs = query.runs
    shown = read_page(runs, sources, after=query.after, limit=_LIMIT)
    begin = read_begin(runs.window, sources.own)
    rows = read_timeline(runs, sources, find_step(begin, runs.window.until))
    count = sum(row[outcome] for row in rows for outcome in OUTCOMES)
    total = count_runs(query.everything, sources) if query.text else count
    differences = read_differences(runs, sources) if 0 < count < total else []
    exclusions = read_exclusions(visit.selection, query.text, runs.window, sources) if not count else []
    return _Shown(shown, count, total, rows, differences, exclusions, begin)


def _lay_out(visit: Visit, shown: _Shown) -> BarChart:
    window = visit.window

    def link(begin: datetime, end: datetime) -> str:  # the first and the last day are counted in part
        times = max(begin, window.since), min(end, window.until)
        return visit.links.again(since=None, from_=format_url_time(times[0]), to=format_url_time(times[1]))

    step = find_step(shown.begin, visit.window.until)
    return lay_out_timeline(shown.timeline, step, (shown.begin, visit.window.until), link)


def _describe(visit: Visit, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a difference with the link to the runs that have it, too."""
    name, _, state = str(row["property"]).partition(":")
    term = f"{name}:{quote(row['value'])}" + (f":{state}" if state else "")
    return {**row, "link": visit.links.again(q=f"{term} {text}".strip())}
