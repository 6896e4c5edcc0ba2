"""How many runs have arrived since a page was shown, as server-sent events: counts alone, so that no row moves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import ExitStack
from functools import partial
from time import monotonic
from typing import Final

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..catalog import report
from ..filter import FilterError, RunFilter, compile_filter
from ..http.refusal import Refusal
from ..ports import Unavailable
from ..read.window import Window
from .errors import PageError
from .page import page
from .visit import Visit
from .whole_number import read_whole_number

__all__ = ["make_live_link", "read_newest", "send_counts"]

_EVERY_S: Final = 1.0
_PING_S: Final = 15
_LONGEST_S: Final = 300.0
"""When a stream ends: the browser opens it again, and its login is checked again."""


@page("GET", "/live", parameters=("after", "q"))
async def send_counts(visit: Visit) -> Response:
    """Send how many runs of the chosen names and filter have arrived after the place `after`, when that changes."""
    after = _read_after(visit)
    run_filter = _read_filter(visit)
    return _Counts(visit, _count_again(visit, run_filter, after))


class _Counts(EventSourceResponse):
    """A stream of counts, which has its place until the client has gone, whether or not it was sent anything."""

    def __init__(self, visit: Visit, counts: AsyncIterator[ServerSentEvent]) -> None:
        self._place = ExitStack()
        self._place.enter_context(visit.site.streams.place())
        super().__init__(counts, ping=_PING_S)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            await super().__call__(scope, receive, send)


async def read_newest(visit: Visit) -> int:
    """Return the place of the newest run; 0 if there is none."""
    (row,) = await visit.site.api.rows(report("newest_run"), count=0)
    return int(row["after_seq"])


def make_live_link(visit: Visit, newest: int, q: str | None = None) -> str | None:
    """Return the link to the counts of what arrives after the newest run, for the script of the page; None if nothing
    can arrive any more in the period, or the filter has SQL in it, which is not counted all the time."""
    selection = visit.selection
    has_ended = selection.to is not None and visit.window.until < visit.site.now()
    if has_ended or (q is not None and compile_filter(q).predicate is not None):
        return None
    return visit.links.to("live", after=newest, q=q)


async def _count_again(visit: Visit, run_filter: RunFilter, after: int) -> AsyncIterator[ServerSentEvent]:
    began, counted = monotonic(), (after, _find_window(visit))
    streams = visit.site.streams
    while not streams.have_ended and monotonic() - began < _LONGEST_S and _may_still_see(visit):
        try:
            newest = await streams.read_newest(partial(read_newest, visit))
            if (present := (newest, _find_window(visit))) != counted:
                counted = present
                async with streams.turn:
                    count = await _count_arrived(visit, run_filter, after, window=present[1])
                yield ServerSentEvent(event="runs", data=str(count))
        except (Unavailable, Refusal):
            return  # the browser tries again
        await streams.wait(_EVERY_S)


def _find_window(visit: Visit) -> Window:
    """Return the chosen period as it is now: one such as the last 24 hours moves while the page is open."""
    return visit.selection.window(visit.site.now())


def _may_still_see(visit: Visit) -> bool:
    """Return whether the login that began the stream still lasts; other ways to see the page do not end."""
    return not visit.session.is_logged_in or visit.site.sessions.read(visit.request).is_logged_in


async def _count_arrived(visit: Visit, run_filter: RunFilter, after: int, *, window: Window) -> int:
    sql = report("arrived_runs", condition=run_filter.condition)
    (row,) = await visit.site.api.rows(sql, after_seq=after, **run_filter.parameters, **window.parameters)
    return int(row["runs"])


def _read_after(visit: Visit) -> int:
    after = read_whole_number(visit, "after")
    if after is None:
        raise PageError(400, "These counts cannot be sent", "The link needs `after`, the place of a run.")
    return after


def _read_filter(visit: Visit) -> RunFilter:
    try:
        run_filter = compile_filter(visit.selection.filter(visit.query("q") or ""))
    except FilterError as error:
        raise PageError(400, "These counts cannot be sent", f"The filter cannot be read: {error}.") from error
    if run_filter.predicate is not None:
        raise PageError(
            400, "These counts cannot be sent", "Runs of a filter with SQL are not counted while a page is open."
        )
    return run_filter
