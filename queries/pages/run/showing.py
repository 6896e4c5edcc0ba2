"""The page of a run: why did this one fail?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from starlette.responses import Response

from ...answers.run import SubRun
from ...answers.span import Span
from ...filter import quote
from ...http.reads import answer_read
from ...path_segment import write_segment
from ...ports import Remedy
from ...read.run_keys import RunKey
from ...read.run_parts import MOST_ROWS
from ..charts.waterfall import lay_out_waterfall
from ..confirmation import DONE, read_confirmation, read_label
from ..page import page
from ..shown import url_time
from ..visit import Visit
from ..whole_number import read_whole_number
from .content import Content, Room, as_text, brief
from .conversation import DEEPEST
from .label import LIST_PARAMETERS
from .markdown import render_markdown
from .reading import find_run_of, read_at, read_list_place, read_stored
from .story import PART, Story

__all__ = ["show_run"]

_MOST_MISTAKES: Final = 30


@page("GET", "/runs/{id}", parameters=("q", "sort", "cursor", "at", "step", "span", "spans", "text", DONE))
async def show_run(visit: Visit) -> Response:
    """Show a run from its first fault on."""
    at, id_, step = read_at(visit), visit.path("id"), read_whole_number(visit, "step")
    place = await answer_read(visit.site.api, visit.request, lambda sources: find_run_of(sources.own, id_, at))
    if place["agent_trace_id"] != id_:
        return visit.redirect(f"/runs/{place['agent_trace_id']}?{urlencode(visit.request.query_params)}")
    span_id = visit.query("span") or place["agent_trace_id"].rpartition("-")[2]
    stored, list_place = await asyncio.gather(
        answer_read(visit.site.api, visit.request, lambda sources: read_stored(sources.own, place, span_id=span_id)),
        read_list_place(visit, place),
    )
    story = Story(stored, step)
    return visit.render(
        "run/run.html",
        run=story.run,
        story=story,
        list_place=list_place,
        waterfall=lay_out_waterfall(stored.outline[:MOST_ROWS], show_all=visit.query("spans") == "all"),
        are_spans_cut=len(stored.outline) > MOST_ROWS,
        span=stored.span,
        attributes=_list_attributes(stored.span),
        remedies=_explain_gaps(visit, story, stored.span),
        mistakes=story.mistakes[:_MOST_MISTAKES],
        part=PART,
        deepest=DEEPEST,
        label=read_label(visit.query(DONE)),
        done=read_confirmation(visit.query(DONE)),
        **_make_functions(visit, story),
    )


def _make_functions(visit: Visit, story: Story) -> dict[str, Any]:
    """Return what templates call: how content is shown, and where it is whole."""
    room, run = Room(), story.run
    at = url_time(run.started_at)
    of_list = {name: visit.query(name) for name in LIST_PARAMETERS}

    def link_here(**parameters: object) -> str:
        return visit.links.again(**{"cursor": of_list["cursor"], **parameters})

    before_span = f"?{link_here(span='').partition('?')[2]}&span=".replace("?&", "?")
    is_markdown = visit.query("text") == "markdown"

    def show(value: Any, *place: object, always: bool = False) -> Content | None:
        if value is None:
            return None
        url = f"/runs/{run.agent_trace_id}/text/{write_segment(':'.join(map(str, place)))}?{urlencode({'at': at})}"
        return room.fit(as_text(value), url, is_needed=always)

    def link_span(span_id: str) -> str:
        return f"{before_span}{span_id}#span"

    def link_run(key: RunKey | SubRun, **parameters: object) -> str:
        at = None if key.started_at is None else url_time(key.started_at)
        return visit.links.to("runs", key.agent_trace_id, **of_list, **parameters, at=at)

    def link_place(anchor: str) -> str:
        place = story.find_place(anchor)
        if place is None or story.is_on_page(place):
            return f"#{anchor}"
        if place.sub_run is not None:
            return link_run(place.sub_run, step=place.inner_step)
        return f"{link_here(step=place.step, span=None, spans=None)}#{anchor}"

    return {
        "show": show,
        "markdown": render_markdown if is_markdown else None,
        "brief": brief,
        "link_run": link_run,
        "link_here": link_here,
        "link_place": link_place,
        "of_list": of_list,
        "link_span": link_span,
        "term": lambda name, value: f"{name}:{quote(value)}",
    }


def _list_attributes(span: Span | None) -> list[tuple[str, Any, str]]:
    """Return the attributes of a span, its events and its resource: a name, the value, and its place."""
    if span is None:
        return []
    return [
        *((key, value, f"attribute:{key}") for key, value in sorted((span.attributes or {}).items())),
        *((f"event {event.get('name')}", event, f"event:{number}") for number, event in enumerate(span.events or [])),
        *([("links", span.links, "links")] if span.links else []),
        *((f"resource {key}", value, f"resource:{key}") for key, value in sorted((span.resource or {}).items())),
    ]


def _explain_gaps(visit: Visit, story: Story, span: Span | None) -> Sequence[Remedy]:
    explain: Callable[..., Sequence[Remedy]] | None = visit.site.api.listings.remedies
    if explain is None:
        return [Remedy(gap=gap, missing=gap, remedy="") for gap in story.gaps]
    scope = None if span is None else span.scope_name
    return explain(story.gaps, dialect=story.run.dialect, scope=scope)
