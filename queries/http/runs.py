"""Runs over HTTP: lists of them, and one with everything in it."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from tracegrade.evaluators.text.suggestions import hint
from tracegrade.evaluators.text.times import as_utc

from ..answers.run import Run, RunDetail, RunPage
from ..ports.words import Time, check_year
from ..read.run import AmbiguousRun, UnknownRun, read_run
from ..read.run_keys import NEWEST, RunKey, RunList, Sort, count_runs
from ..read.run_parts import PARTS, Part
from ..read.runs import read_page
from ..read.source import Sources
from ..read.window import BEGINNING
from .api import Api
from .endpoint import Call, endpoint
from .list_query import ListQuery, find_place, make_cursor, read_filter, refuse_parameter
from .reads import answer_read
from .refusal import Refusal

__all__ = ["show_run", "show_runs"]


class RunsQuery(ListQuery):
    """The query parameters of a list of runs."""

    q: str = Field(default="", description="a filter, such as agent:checkout is:failing; empty: all runs")
    sort: Sort = Field(default=NEWEST, description="with a minus the greatest first; worst: the lowest score first")
    count: bool = Field(default=False, description="also count all runs that the filter selects")


class RunQuery(BaseModel):
    """The query parameters of one run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    include: str | None = Field(default=None, description=f"the parts to read, with commas; default: {','.join(PARTS)}")
    at: Annotated[Time, AfterValidator(check_year)] | None = Field(
        default=None, description="a time within a day of its start, by which it is found faster"
    )


@endpoint("GET", "/api/v1/runs", "list the runs that a filter selects", query=RunsQuery, answer=RunPage)
async def show_runs(api: Api, call: Call) -> RunPage:
    """Answer with a page of runs."""
    query = call.query(RunsQuery)
    window, after = find_place(query, RunKey)
    listed = RunList(run_filter=read_filter(query.q), window=window, sort=query.sort)

    def read(sources: Sources) -> RunPage:
        page = read_page(listed, sources, after=after, limit=query.limit)
        return RunPage(
            runs=[Run.model_validate(row) for row in page.rows],
            next=make_cursor(query, window, page.last),
            since=None if window.since == BEGINNING else window.since,
            until=window.until,
            count=count_runs(listed, sources) if query.count else None,
        )

    return await answer_read(api, call.request, read, run_filter=listed.run_filter)


@endpoint("GET", "/api/v1/runs/{id}", "show a run with everything in it", query=RunQuery, answer=RunDetail)
async def show_run(api: Api, call: Call) -> RunDetail:
    """Answer with the run whose id this is, or begins with."""
    query = call.query(RunQuery)
    at = None if query.at is None else as_utc(query.at)
    parts = PARTS if query.include is None else _read_parts(query.include)
    id_ = call.path("id")
    try:
        return await answer_read(api, call.request, lambda sources: read_run(sources.own, id_, at=at, parts=parts))
    except UnknownRun as error:
        raise Refusal(404, "not_found", str(error)) from error
    except AmbiguousRun as error:
        raise Refusal(409, "conflict", str(error)) from error


def _read_parts(text: str) -> list[Part]:
    """Read the names of parts, with commas between them. Raises Refusal."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in PARTS:
            raise refuse_parameter("include", f"there is no part {name!r}{hint(name, PARTS)}")
    return [part for part in PARTS if part in names]
