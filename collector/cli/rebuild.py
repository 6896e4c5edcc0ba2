"""`tracegrade rebuild`: assembles stored spans again. Its progress is in the store, so that it can be interrupted."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report
from tracegrade.queries.ports import CommandRefused, Rebuild, Rebuilding

from ..client.settings import load_settings
from ..client.source import LocalSource, Source, open_source, post
from ..clock import parse_time, utc_now
from ..config.settings import Settings
from ..errors import Fault
from ..server.pipeline import Pipeline
from .console import console, print_json
from .writable_store import open_pipeline

__all__ = ["rebuild"]

_POLL_S: Final = 0.5
_INTERRUPTED: Final = 130


def rebuild(*, since: str | None, as_json: bool, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load_settings(config, store=store)
    try:
        request = Rebuild(since=None if since is None else parse_time(since, utc_now()))
    except ValueError as error:
        raise Fault(str(error)) from error
    pipeline = open_pipeline(settings, server)
    if isinstance(pipeline, str):
        return _run_through_server(pipeline, settings, request, as_json=as_json)
    return _run_alone(pipeline, request, as_json=as_json)


def _run_alone(pipeline: Pipeline, request: Rebuild, *, as_json: bool) -> int:
    try:
        pipeline.enrol()  # evaluators with a new version start before the runs that this changes
        rebuilding = pipeline.stored_traces.begin(request)
        source = LocalSource(pipeline.database)
        watch = _Watch(rebuilding, source, work=partial(_step, pipeline), as_json=as_json)
        return watch.run(goes_on="the same command resumes it, and so does `tracegrade serve`")
    except CommandRefused as refused:
        raise Fault(str(refused)) from refused
    finally:
        pipeline.let_go()


def _step(pipeline: Pipeline) -> None:
    pipeline.stored_traces.step()
    pipeline.caretaker.attend(is_idle=False)  # without arrivals no other thread checkpoints


def _run_through_server(url: str, settings: Settings, request: Rebuild, *, as_json: bool) -> int:
    """Send the request to the server and watch it; an interrupt only ends the watching. Return the exit code."""
    answer = post(settings, url, "/api/v1/rebuild", request.model_dump(mode="json"))
    with open_source(settings, url) as source:
        watch = _Watch(Rebuilding.model_validate(answer), source, work=lambda: time.sleep(_POLL_S), as_json=as_json)
        return watch.run(goes_on="the server continues; the same command watches it again")


@dataclass(frozen=True, slots=True)
class _Progress:
    """The progress of a rebuild, from the report `rebuild_progress`."""

    is_ended: bool
    traces: int
    done: int
    arriving: int
    deferred: int
    failed: int
    same_runs: int
    changed_runs: int
    new_runs: int
    vanished_runs: int

    @property
    def runs(self) -> int:
        return self.same_runs + self.changed_runs + self.new_runs


class _Watch:
    """Shows a rebuild until it has ended; `work` assembles the next portion, or waits for the server that does."""

    def __init__(self, rebuilding: Rebuilding, source: Source, *, work: Callable[[], object], as_json: bool) -> None:
        self._rebuilding = rebuilding
        self._source = source
        self._work = work
        self._as_json = as_json

    def run(self, *, goes_on: str) -> int:
        """Watch until the end; return the exit code. `goes_on` is a text: how an interrupted rebuild continues."""
        if self._rebuilding.is_joined and not self._as_json:
            done, traces = self._rebuilding.done, self._rebuilding.traces
            console().print(f"a rebuild is in progress: {done:,} of {traces:,} traces are done")
        first, began = self._read_progress(), time.monotonic()
        try:
            last = self._work_until_ended(first)
        except KeyboardInterrupt:
            progress = self._read_progress()
            console().print(f"interrupted after {progress.done:,} of {progress.traces:,} traces; {goes_on}")
            return _INTERRUPTED
        self._conclude(last, seconds=time.monotonic() - began, runs=last.runs - first.runs)
        return 0

    def _work_until_ended(self, progress: _Progress) -> _Progress:
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        with Progress(
            *columns, console=console(), transient=True, disable=self._as_json or not console().is_terminal
        ) as bar:
            task = bar.add_task("rebuilding", total=progress.traces, completed=progress.done)
            while not progress.is_ended:
                self._work()
                progress = self._read_progress()
                bar.update(task, completed=progress.done)
        return progress

    def _read_progress(self) -> _Progress:
        parameters = {"rebuild_id": self._rebuilding.rebuild_id}
        (row,) = self._source.read(report("rebuild_progress"), parameters=parameters).table.to_pylist()
        return _Progress(**row)

    def _conclude(self, progress: _Progress, *, seconds: float, runs: int) -> None:
        """Print the changes of the rebuild. `runs` were assembled within `seconds`."""
        runs_per_s = runs / seconds if seconds else 0.0
        if self._as_json:
            print_json(_build_json(progress, seconds, runs_per_s))
            return
        pace = f"{seconds:,.1f} s, {runs_per_s:,.0f} runs/s"
        counts = (
            f"{counted(progress.same_runs, 'run')} the same, {progress.changed_runs:,} changed, "
            f"{progress.new_runs:,} new, {progress.vanished_runs:,} vanished"
        )
        console().print(f"rebuilt {counted(progress.traces, 'trace')} ({pace}): {counts}", soft_wrap=True)
        for note in _list_notes(progress, is_served=not isinstance(self._source, LocalSource)):
            console().print(note, soft_wrap=True)


def _build_json(progress: _Progress, seconds: float, runs_per_s: float) -> dict[str, Any]:
    return {
        "traces": progress.traces,
        "runs": {
            "same": progress.same_runs,
            "changed": progress.changed_runs,
            "new": progress.new_runs,
            "vanished": progress.vanished_runs,
        },
        "traces_arriving": progress.arriving,
        "traces_deferred": progress.deferred,
        "traces_failed": progress.failed,
        "seconds": round(seconds, 3),
        "runs_per_s": round(runs_per_s, 1),
    }


def _list_notes(progress: _Progress, *, is_served: bool) -> list[str]:
    """Return notes on the remaining work, and which process does it."""
    notes = []
    who = "the server" if is_served else "`tracegrade serve`"
    if progress.arriving:
        notes.append(
            f"{counted(progress.arriving, 'trace')} had new spans that were not assembled yet; {who} does that"
        )
    if progress.deferred:
        notes.append(
            f"{counted(progress.deferred, 'trace')} changed a moment ago; {who} revises their runs in a minute"
        )
    if progress.failed:
        notes.append(
            f"{counted(progress.failed, 'trace')} could not be assembled and keep their runs; the log says why"
        )
    if not is_served and progress.changed_runs + progress.new_runs:
        notes.append("new and changed runs are evaluated by `tracegrade serve`")
    return notes
