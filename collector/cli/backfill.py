"""`tracegrade backfill`: verdicts on runs of the past. What is asked for stands in the store: it can be broken off."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tracegrade.queries.catalog import report
from tracegrade.queries.ports import Backfill, OrderRefused

from ..backfill import ask, moment
from ..errors import Fault
from ..pipeline import Pipeline
from ..settings import Settings, load
from ..store.database import StoreLocked
from .console import Config, Server, Store, console, given
from .source import alive, opened, post

__all__ = ["backfill"]

_POLL_S = 0.5


def backfill(
    since: Annotated[str, typer.Option(help="Runs that began after this: 2026-11-22, 2026-11-22T12:00 or 7d (ago).")],
    until: Annotated[str | None, typer.Option(help="And before this; default: now.", show_default=False)] = None,
    evaluator: Annotated[
        list[str] | None, typer.Option(help="Only this one, by its name; may be given again.", show_default=False)
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="SQL condition over the columns of agent_traces.", show_default=False)
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Also runs that have their verdict.")] = False,
    store: Store = None,
    config: Config = None,
    server: Server = None,
) -> int:
    """Judge runs of the past. Only errors and what has no verdict, unless --again. New runs go before."""
    settings = load(config, **given(store=store))
    now = datetime.now(UTC).replace(tzinfo=None)
    try:
        wanted = Backfill(
            since=moment(since, now),
            until=None if until is None else moment(until, now),
            evaluators=tuple(evaluator or ()),
            where=where,
            again=again,
        )
    except ValueError as error:
        raise Fault(str(error)) from error
    if server is not None:
        return _through_server(server, settings, wanted)
    try:
        pipeline = Pipeline(settings)
    except StoreLocked as locked:
        if (note := alive(locked.path)) is None:
            raise
        return _through_server(note.url, settings, wanted)
    return _alone(pipeline, wanted)


def _alone(pipeline: Pipeline, wanted: Backfill) -> int:
    try:
        pipeline.enrol()
        asked = ask(pipeline.lanes, pipeline.database, wanted)
        _watch(asked, lambda: _left(pipeline), work=lambda: _work(pipeline))
    except OrderRefused as refused:
        raise Fault(str(refused)) from refused
    finally:
        pipeline.let_go()
    return 0


def _work(pipeline: Pipeline) -> None:
    for lane in pipeline.lanes:
        lane.evaluate()


def _left(pipeline: Pipeline) -> Mapping[str, int]:
    with pipeline.database.cursor() as connection:
        return dict(connection.execute(report("backfill_left")).fetchall())


def _through_server(url: str, settings: Settings, wanted: Backfill) -> int:
    """The server judges; breaking off only ends the watching."""
    answer: dict[str, Any] = post(settings, url, "/api/v1/backfill", wanted.model_dump(mode="json"))
    with opened(settings, url) as source:
        _watch(
            answer["asked"], lambda: dict(source.read(report("backfill_left")).rows), work=lambda: time.sleep(_POLL_S)
        )
    return 0


def _watch(asked: Mapping[str, int], left: Callable[[], Mapping[str, int]], *, work: Callable[[], None]) -> None:
    total = sum(asked.values())
    if not total:
        console.print("nothing to judge: these runs have their verdicts (--again judges them once more)")
        return
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("judging", total=total)
        while waiting := sum(left().get(name, 0) for name in asked):
            progress.update(task, completed=max(0, total - waiting))
            work()
    for name, count in asked.items():
        console.print(f"{name}: {count} runs")
