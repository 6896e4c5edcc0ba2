"""Reads what the page of a run shows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tracegrade.evaluators.text.times import parse_time

from ...answers.run import RunDetail
from ...answers.span import Span
from ...http.reads import answer_read
from ...http.refusal import Refusal
from ...read.place import Place, read_place
from ...read.run import AmbiguousRun, UnknownRun, find_run, read_found
from ...read.run_keys import RunKey, RunList
from ...read.run_parts import Part
from ...read.sessions import read_turns
from ...read.source import Read, Sources
from ...read.story import (
    JudgeCall,
    Likes,
    RunPlace,
    SpanOutline,
    Tree,
    read_judge_calls,
    read_likes,
    read_outline,
    read_span,
    read_tree,
)
from ..errors import PageError, as_sentence
from ..runs.query import BadFilter, read_query
from ..visit import Visit

__all__ = ["Stored", "find_run_near", "find_run_of", "parse_at", "read_at", "read_list_place", "read_stored"]

_PARTS: Final[tuple[Part, ...]] = ("tool_calls", "scores", "sub_runs")
_YEAR: Final = 1900
_AT_ONCE: Final = 3
"""How many statements run at once: each takes a few milliseconds, most of them for planning."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A run with what its page shows of it. `turns` are those of its session; `span` the one whose attributes are
    shown."""

    place: RunPlace
    run: RunDetail
    tree: Tree
    outline: list[SpanOutline]
    judge_calls: list[JudgeCall]
    turns: list[RunKey]
    likes: Likes | None
    span: Span | None


def read_at(visit: Visit, parameter: str = "at") -> datetime | None:
    """Return the start of the run, by which it is found faster; None if the URL does not have it."""
    return parse_at(visit.query(parameter), visit.site.now())


def parse_at(text: str | None, now: datetime) -> datetime | None:
    """Return the start of a run as a link or a form has it; None if it has none that can be read."""
    if not text:
        return None
    try:
        at = parse_time(text, now)
    except (ValueError, OverflowError):
        return None
    return at if at.year > _YEAR else None


def find_run_near(read: Read, id_: str, at: datetime | None) -> RunPlace:
    """Return the row of `runs_named` for a run, wherever it is: `at` may be wrong. Raises as `find_run` does."""
    try:
        return find_run(read, id_, at=at)
    except UnknownRun:
        if at is None:
            raise
        return find_run(read, id_)


def find_run_of(read: Read, id_: str, at: datetime | None) -> RunPlace:
    """Return the row of `runs_named` for a run, wherever it is: `at` may be wrong. Raises PageError."""
    try:
        return find_run_near(read, id_, at)
    except UnknownRun as error:
        raise PageError(404, "There is no such run", as_sentence(error), link=("/runs", "Show the list")) from error
    except AmbiguousRun as error:
        first = error.ids[0]
        raise PageError(
            409, "Several runs have this id", as_sentence(error), link=(f"/runs/{first}", f"Show {first}")
        ) from error


def read_stored(read: Read, place: RunPlace, *, span_id: str | None) -> Stored:
    """Return the run of a row of `runs_named`; `read` is called by several threads. Raises PageError if it is gone
    since."""
    try:
        run = read_found(read, place, parts=_PARTS)
    except UnknownRun as error:
        raise PageError(404, "This run is not there any more", as_sentence(error)) from error
    ids = [run.agent_trace_id, *(each.agent_trace_id for each in run.sub_runs or [])]
    has_judge = any(score.evaluator_kind == "llm" for score in run.scores or [])
    with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="page of run") as threads:
        tree = threads.submit(read_tree, read, place, run.sub_runs or [])
        outline = threads.submit(read_outline, read, place)
        likes = threads.submit(lambda: None if run.pattern_id is None else read_likes(read, run.pattern_id))
        turns = threads.submit(lambda: [] if run.session_id is None else read_turns(read, run.session_id))
        judge_calls = threads.submit(lambda: read_judge_calls(read, place, ids) if has_judge else [])
        span = threads.submit(lambda: None if span_id is None else read_span(read, place, span_id))
    return Stored(
        place=place,
        run=run,
        tree=tree.result(),
        outline=outline.result(),
        judge_calls=judge_calls.result(),
        turns=turns.result(),
        likes=likes.result(),
        span=span.result(),
    )


async def read_list_place(visit: Visit, place: RunPlace) -> Place | None:
    """Return the place of a run in the list that its link came from; None if it is not there, or the list is wrong."""
    try:
        runs: RunList = read_query(visit).runs
    except BadFilter:
        return None

    def read(sources: Sources) -> Place | None:
        key = {"agent_trace_id": place["agent_trace_id"], "started_at": place["started_at"]}
        return read_place(runs, sources, **key)

    try:
        return await answer_read(visit.site.api, visit.request, read, run_filter=runs.run_filter)
    except Refusal:
        return None
