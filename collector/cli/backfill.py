"""`tracegrade backfill`: evaluates past runs. The request is stored, so the command can be interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report
from tracegrade.queries.ports import Backfill, BackfillSummary, CommandRefused

from ..client.query import Read, all_rows
from ..client.settings import load_settings
from ..client.source import LocalSource, Source, open_source, post
from ..clock import format_time, parse_time, utc_now
from ..config.settings import Settings
from ..errors import Fault
from ..server.backfill import request_backfill
from ..server.pipeline import Pipeline
from ..store.priority import BACKFILL
from .console import NO_SERVER_RUNNING, console, plain
from .writable_store import open_pipeline

__all__ = ["backfill"]

_POLL_S = 0.5
_NOTHING, _INTERRUPTED = 3, 130


def backfill(
    *,
    since: str,
    until: str | None,
    evaluator: Sequence[str],
    where: str | None,
    again: bool,
    store: str | None,
    config: Path | None,
    server: str | None,
) -> int:
    settings = load_settings(config, store=store)
    now = utc_now()
    try:
        request = Backfill(
            since=parse_time(since, now),
            until=None if until is None else parse_time(until, now),
            evaluators=tuple(evaluator),
            where=where,
            again=again,
        )
    except ValueError as error:
        raise Fault(str(error)) from error
    pipeline = open_pipeline(settings, server)
    if isinstance(pipeline, str):
        return _run_through_server(pipeline, settings, request)
    return _run_alone(pipeline, request)


def _run_alone(pipeline: Pipeline, request: Backfill) -> int:
    try:
        pipeline.enrol()
        summary = request_backfill(pipeline.lanes.all, pipeline.database, request)
        goes_on = "the rest is stored: the same command resumes it, and so does `tracegrade serve`"
        source = LocalSource(pipeline.database)
        return _watch(summary, source, work=lambda: _evaluate(pipeline), goes_on=goes_on)
    except CommandRefused as refused:
        raise Fault(str(refused)) from refused
    finally:
        pipeline.let_go()


def _evaluate(pipeline: Pipeline) -> None:
    if not sum([lane.evaluate().targets for lane in pipeline.lanes.all]):
        time.sleep(_POLL_S)


def _count_left(awaited: Collection[str], read: Read) -> int:
    rows = all_rows(read, report("backfill_left"), backfill=BACKFILL)
    return sum(row["targets"] for row in rows if row["evaluator"] in awaited)


def _run_through_server(url: str, settings: Settings, request: Backfill) -> int:
    """Send the request to the server and watch it; an interrupt only ends the watching. Return the exit code."""
    summary = BackfillSummary.model_validate(post(settings, url, "/api/v1/backfill", request.model_dump(mode="json")))
    goes_on = "the server continues: the same command watches it again"
    with open_source(settings, url) as source:
        return _watch(summary, source, work=lambda: time.sleep(_POLL_S), goes_on=goes_on)


def _watch(summary: BackfillSummary, source: Source, *, work: Callable[[], None], goes_on: str) -> int:
    """Show the progress until everything is evaluated or the user interrupts; return the exit code."""
    if not summary.runs:
        console().print("nothing to evaluate: no matching run began in that time")
        return _NOTHING
    held_up = {*summary.paused, *summary.scheduled}
    awaited = {
        name: count + summary.requested_before[name] for name, count in summary.requested.items() if name not in held_up
    }
    _print_summary(summary, sum(awaited.values()))
    try:
        _show_progress(awaited, source.read, work)
    except KeyboardInterrupt:
        console().print(f"interrupted; {goes_on}")
        return _INTERRUPTED
    is_deferred = any(awaited.values()) and _print_outcome(awaited, source)
    is_scheduled = any(summary.requested[name] + summary.requested_before[name] for name in summary.scheduled)
    if (is_deferred or is_scheduled) and isinstance(source, LocalSource):
        console().print(NO_SERVER_RUNNING)
    return 0


def _print_outcome(awaited: Mapping[str, int], source: Source) -> bool:
    """Print for each evaluator how many scores were requested, and how many are deferred and why.

    Return whether anything is deferred. The time is printed only if a server will try again then.
    """
    rows = all_rows(source.read, report("deferred_now"), backfill=BACKFILL)
    deferred = {row["evaluator"]: row for row in rows if row["evaluator"] in awaited}
    for name, count in awaited.items():
        line = f"{name}: {counted(count, 'score')} requested"
        if later := deferred.get(name):
            first = "" if isinstance(source, LocalSource) else f", the first until {format_time(later['first_at'])}"
            line += f"; {later['targets']:,} deferred{first}: {later['reason']}"
        console().print(plain(line), soft_wrap=True)
    return bool(deferred)


def _print_summary(summary: BackfillSummary, awaited: int) -> None:
    """Print earlier requests, deferred scores, and the evaluators that this command does not wait for."""
    before = sum(
        count for name, count in summary.requested_before.items() if name not in {*summary.paused, *summary.scheduled}
    )
    deferred = sum(summary.deferred.values())
    for name in summary.paused:
        console().print(f"{name} is paused: its evaluations are queued until `tracegrade evaluators {name} --resume`")
    for name, schedule in summary.scheduled.items():
        console().print(f"{name} has a schedule ({schedule}): its evaluations are queued until then")
    if before:
        console().print(f"{before} of {awaited} scores were requested before")
    if deferred:
        line = f"{counted(deferred, 'score')} had been deferred and {'is' if deferred == 1 else 'are'} due again"
        console().print(f"{line}; `tracegrade backlog` shows what is deferred")
    elif not awaited and not summary.paused and not summary.scheduled:
        console().print("nothing to evaluate: these runs have their scores (--again evaluates them again)")


def _show_progress(awaited: Mapping[str, int], read: Read, work: Callable[[], None]) -> None:
    """Show a progress bar until no requested evaluation of these evaluators is left."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    total = sum(awaited.values())
    with Progress(*columns, console=console(), transient=True) as progress:
        task = progress.add_task("evaluating", total=total)
        while total and (waiting := _count_left(awaited, read)):
            total = max(total, waiting)
            progress.update(task, total=total, completed=total - waiting)
            work()
