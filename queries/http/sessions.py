"""Sessions over HTTP: lists of them, and one with its turns."""

from __future__ import annotations

from pydantic import Field

from ..answers.session import SessionDetail, SessionPage
from ..read.run_keys import RunList
from ..read.sessions import SessionKey, UnknownSession, read_session, read_session_page
from .api import Api
from .endpoint import Call, endpoint
from .list_query import ListQuery, find_place, make_cursor, read_filter
from .reads import answer_read
from .refusal import Refusal

__all__ = ["show_session", "show_sessions"]


class SessionsQuery(ListQuery):
    """The query parameters of a list of sessions; the period is that of their turns."""

    q: str = Field(default="", description="a filter of runs: sessions with a run that it selects; empty: all")


@endpoint(
    "GET",
    "/api/v1/sessions",
    "list sessions, those with the newest turns first",
    query=SessionsQuery,
    answer=SessionPage,
)
async def show_sessions(api: Api, call: Call) -> SessionPage:
    """Answer with a page of sessions."""
    query = call.query(SessionsQuery)
    window, after = find_place(query, SessionKey)
    listed = RunList(run_filter=read_filter(query.q), window=window)
    page = await answer_read(
        api,
        call.request,
        lambda sources: read_session_page(listed, sources, after=after, limit=query.limit),
        run_filter=listed.run_filter,
    )
    return SessionPage(sessions=page.sessions, next=make_cursor(query, window, page.last))


@endpoint("GET", "/api/v1/sessions/{id:path}", "show a session with its turns and scores", answer=SessionDetail)
async def show_session(api: Api, call: Call) -> SessionDetail:
    """Answer with the session of this id."""
    id_ = call.path("id")
    try:
        return await answer_read(api, call.request, lambda sources: read_session(sources.own, id_))
    except UnknownSession as error:
        raise Refusal(404, "not_found", str(error)) from error
