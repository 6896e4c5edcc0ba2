"""The page of the list of sessions: conversations with runs that a filter selects."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ...filter import FIELDS
from ...http.reads import answer_read
from ...read.cursor import BadCursor, decode_cursor, encode_cursor
from ...read.sessions import SessionKey, read_session_page
from ...read.window import Window
from ..choices import read_choices
from ..page import page
from ..visit import Visit
from .query import BadFilter, RunsQuery, read_query

__all__ = ["show_sessions"]

_LIMIT: Final = 50
_BAD_REQUEST: Final = 400


@page("GET", "/sessions", parameters=("q", "sort", "cursor"))
async def show_sessions(visit: Visit) -> Response:
    """Show the sessions in which the filter selects a run."""
    choices = await read_choices(visit)
    try:
        query = read_query(visit)
    except BadFilter as error:
        return visit.render(
            "runs/wrong_filter.html",
            status=_BAD_REQUEST,
            error=error,
            text=error.text,
            choices=choices,
            fields=FIELDS.values(),
        )
    after = _read_cursor(visit, query)
    shown = await answer_read(
        visit.site.api,
        visit.request,
        lambda sources: read_session_page(query.runs, sources, after=after, limit=_LIMIT),
        run_filter=query.runs.run_filter,
    )
    return visit.render(
        "runs/sessions.html",
        choices=choices,
        fields=FIELDS.values(),
        text=query.text,
        sessions=shown.sessions,
        next=None if shown.last is None else encode_cursor(_name_list(query), query.runs.window, shown.last),
        is_first=after is None,
    )


def _read_cursor(visit: Visit, query: RunsQuery) -> SessionKey | None:
    cursor = visit.query("cursor")
    if cursor is None:
        return None
    try:
        _, after = decode_cursor(cursor, _name_list(query), Window, SessionKey)
    except BadCursor:
        return None
    return after


def _name_list(query: RunsQuery) -> list[str]:
    return ["sessions", query.runs.run_filter.text]
