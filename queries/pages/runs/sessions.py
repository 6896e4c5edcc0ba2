"""The page of the list of sessions: conversations with runs that a filter selects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from ...filter import FIELDS
from ...http.reads import answer_read
from ...read.cursor import encode_cursor
from ...read.run_keys import count_runs
from ...read.sessions import SessionKey, SessionRows, read_session_page
from ...read.source import Sources
from ..choices import read_choices
from ..page import page
from ..visit import Visit
from .nothing import Exclusion, read_exclusions
from .query import BadFilter, RunsQuery, read_cursor, read_query
from .wrong_filter import show_wrong_filter

__all__ = ["show_sessions"]

_LIMIT: Final = 50


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was read for the page. If there are no sessions, `run_count` is the number of runs that the filter selects,
    and `exclusions` say why there are none."""

    page: SessionRows
    run_count: int | None
    exclusions: list[Exclusion]


@page("GET", "/sessions", parameters=("q", "sort", "cursor"))
async def show_sessions(visit: Visit) -> Response:
    """Show the sessions in which the filter selects a run."""
    choices = await read_choices(visit)
    try:
        query = read_query(visit)
    except BadFilter as error:
        return show_wrong_filter(visit, error, choices)
    after = read_cursor(visit, _name_list(query), SessionKey)
    shown = await answer_read(
        visit.site.api,
        visit.request,
        lambda sources: _read(visit, query, after, sources),
        run_filter=query.runs.run_filter,
    )
    return visit.render(
        "runs/sessions.html",
        choices=choices,
        fields=FIELDS.values(),
        text=query.text,
        sessions=shown.page.sessions,
        next=None if shown.page.last is None else encode_cursor(_name_list(query), query.runs.window, shown.page.last),
        is_first=after is None,
        run_count=shown.run_count,
        exclusions=[(each, visit.links.again(**each.parameters)) for each in shown.exclusions],
    )


def _read(visit: Visit, query: RunsQuery, after: SessionKey | None, sources: Sources) -> _Shown:
    page_of_list = read_session_page(query.runs, sources, after=after, limit=_LIMIT)
    if page_of_list.sessions:
        return _Shown(page_of_list, None, [])
    count = count_runs(query.runs, sources)
    exclusions = [] if count else read_exclusions(visit.selection, query.text, query.runs.window, sources)
    return _Shown(page_of_list, count, exclusions)


def _name_list(query: RunsQuery) -> list[str]:
    return ["sessions", query.runs.run_filter.text]
