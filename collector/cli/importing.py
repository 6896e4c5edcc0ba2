"""Imports files into a store, in this process or through the server that holds the store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from tracegrade.evaluators.definition.imports import leave_pandas_out
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report

from ..client.discovery import ServerNote, find_server
from ..client.http_client import HttpClient, Unreachable
from ..client.settings import load_settings
from ..client.source import LocalSource, Source, open_source
from ..config.settings import Settings, evaluators_of
from ..errors import CollectorError, Fault, Rejected
from ..otlp import file as otlp_file
from ..otlp.file import Part
from ..otlp.limits import RequestLimits
from ..otlp.services import SERVICES
from ..receiver import ExportOutcome
from ..server.pipeline import Pipeline
from ..store.engines.selection import locate
from ..store.errors import StoreLocked
from ..version import version
from ..worker.start import Started
from .console import NO_SERVER_RUNNING, console, plain
from .import_sources import ImportFiles, explain_rejection

__all__ = ["import_files", "without_waiting"]

_USAGE, _NOTHING_EVALUATED, _UNREACHABLE = 2, 3, 4
_PROTOBUF = "application/x-protobuf"
_POLL_S = 0.5
_PORTION = 5_000
_SMALL_BYTES = 32 * 2**20
_NOT_LOOKED_AT = "it is paused, or waits for late spans"

Accept = Callable[[Part], Awaitable[ExportOutcome]]
Check = Callable[[Source, Collection[str]], int]
"""Checks the scores of the traces that were imported, and returns the exit code."""


def import_files(
    files: Sequence[Path],
    *,
    store: str | None,
    config: Path | None,
    evaluate: bool,
    worker: Started | None,
    check: Check | None,
    kind: str | None,
    strict: bool,
    dataset: str | None,
) -> int:
    """Import the files; return the exit code, that of `check` if it is given. `worker` assembles the runs.

    `kind` is that of all files; None: it is recognised. With `strict`, nothing is stored of a file with a fault.
    `dataset` is where expectations go; None: to the one with the name of the file.
    """
    settings = load_settings(config, store=store)
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise Fault(f"file not found: {', '.join(missing)}", exit_code=_USAGE)
    sources = ImportFiles.recognise(files, kind, dataset)
    if strict:
        sources.check()
    leave_pandas_out()  # all modules of evaluators are imported before
    try:
        pipeline = Pipeline(without_waiting(settings), worker, threads=_choose_threads(settings, files))
    except StoreLocked:
        note = find_server(settings.store)
        if note is None:
            raise
        return asyncio.run(_import_through_server(note, settings, sources, evaluate=evaluate, check=check))
    return asyncio.run(_import_alone(pipeline, settings, sources, evaluate=evaluate, check=check))


def _choose_threads(settings: Settings, files: Iterable[Path]) -> int | None:
    """Return 1 for a small import, where starting more threads of DuckDB takes a quarter of the time; else None."""
    sizes = [file.stat().st_size for file in files]
    return 1 if sum(sizes) + locate(settings.store).size_bytes() < _SMALL_BYTES else None


def without_waiting(settings: Settings) -> Settings:
    """Return settings that do not wait for late spans or idle sessions, since a file is complete."""
    at_once = timedelta(0)
    assembly = settings.assembly.model_copy(update={"judge_settle": at_once})
    evaluation = settings.evaluation.model_copy(update={"session_idle": at_once})
    return settings.model_copy(update={"assembly": assembly, "evaluation": evaluation})


async def _import_alone(
    pipeline: Pipeline, settings: Settings, files: ImportFiles, *, evaluate: bool, check: Check | None
) -> int:
    pipeline.start()
    try:
        trace_ids = await _send(
            files, lambda part: pipeline.queue.accept(part.signal, part.body), settings.ingest.limits
        )
        await pipeline.finish(evaluate=evaluate)
        source = LocalSource(pipeline.database)
        await asyncio.to_thread(files.store_items, source, pipeline.datasets)
        outbox = pipeline.outbox(settings, version())
        if outbox is not None and not await asyncio.to_thread(outbox.flush):
            click.echo(f"{settings.export.endpoint} does not accept scores now; the next server sends them")
        if not evaluate or files.have_items_only:
            return files.conclude()
        return files.conclude(await asyncio.to_thread(_conclude, source, trace_ids, evaluators_of(settings), check))
    finally:
        await pipeline.close()


async def _import_through_server(
    note: ServerNote, settings: Settings, files: ImportFiles, *, evaluate: bool, check: Check | None
) -> int:
    """Send the files to the server that holds the store, which evaluates the runs; return the exit code."""
    click.echo(f"the server with pid {note.pid} holds the store; importing through it")
    if not evaluate:
        click.echo("the server evaluates these runs in spite of --no-evaluate; this command does not wait")
    client = HttpClient(note.otlp_url, timeout_s=60)
    trace_ids = await _send(files, lambda part: asyncio.to_thread(_post, client, part), settings.ingest.limits)
    evaluators = evaluators_of(settings) if evaluate else []
    unscheduled = [evaluator for evaluator in evaluators if evaluator.schedule is None]
    awaited = {
        "evaluators": [evaluator.name for evaluator in unscheduled if evaluator.scope != "tool"],
        "tool_evaluators": [evaluator.name for evaluator in unscheduled if evaluator.scope == "tool"],
    }
    with open_source(settings, note.url) as source:
        files.store_items(source)
        for portion in _split(sorted(trace_ids)):
            parameters = {"trace_ids": portion, **awaited}
            while any(source.read(report("pending"), parameters=parameters).rows[0]):  # noqa: ASYNC110 - in the server
                await asyncio.sleep(_POLL_S)
        if not evaluate or files.have_items_only:
            return files.conclude()
        return files.conclude(_conclude(source, trace_ids, evaluators, check))


def _conclude(source: Source, trace_ids: set[str], evaluators: Sequence[Configured], check: Check | None) -> int:
    """Print failed and deferred evaluations of these traces, and check the scores; return the exit code."""
    scores, failed = 0, 0
    if _print_missing(source, trace_ids, evaluators) and isinstance(source, LocalSource):
        click.echo(NO_SERVER_RUNNING)
    for portion in _split(sorted(trace_ids)):
        for row in source.read(report("scores_of_traces"), parameters={"trace_ids": portion}).table.to_pylist():
            scores, failed = scores + row["scores"], failed + row["errors"]
            if row["errors"]:
                line = f"{row['evaluator']} failed on {row['errors']} of {row['scores']}: {row['reason']}"
                console().print(plain(line), style="yellow")
    if check is not None:
        return check(source, trace_ids)
    if scores > failed or not any(evaluator.scope in {"trace", "tool_call"} for evaluator in evaluators):
        return 0
    why = "" if failed else f"; `tracegrade {'explain TRACE' if trace_ids else 'doctor FILE'}` shows why"
    click.echo(f"nothing was evaluated{why}")
    return _NOTHING_EVALUATED


def _print_missing(source: Source, trace_ids: set[str], evaluators: Sequence[Configured]) -> bool:
    """Print which evaluations by judges or scheduled evaluators are missing, and why.

    Return whether there are any.
    """
    later = [evaluator for evaluator in evaluators if evaluator.kind == "llm" or evaluator.schedule]
    forms = {
        "evaluators": [evaluator.name for evaluator in later],
        "evaluator_versions": [evaluator.version for evaluator in later],
        "config_hashes": [evaluator.config_hash for evaluator in later],
    }
    schedules = {evaluator.name: f"scheduled ({evaluator.schedule})" for evaluator in later if evaluator.schedule}
    waiting: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for portion in _split(sorted(trace_ids)) if later else ():
        parameters = {"trace_ids": portion, **forms}
        for row in source.read(report("waiting_of_traces"), parameters=parameters).table.to_pylist():
            waiting[row["evaluator"]] += row["new"] + row["deferred"]
            reasons.setdefault(row["evaluator"], row["reason"] or schedules.get(row["evaluator"], _NOT_LOOKED_AT))
    for name, count in waiting.items():
        line = f"{name}: {counted(count, 'score')} not evaluated yet: {reasons[name]}"
        console().print(plain(line), style="yellow")
    return bool(waiting)


def _split(trace_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split trace ids into portions, each small enough for one query."""
    yield from (trace_ids[at : at + _PORTION] for at in range(0, len(trace_ids), _PORTION))


async def _send(files: ImportFiles, accept: Accept, limits: RequestLimits) -> set[str]:
    """Send every part of every file, and print the counts and reasons of the answers. Return the trace ids in hex."""
    counts: Counter[str] = Counter()
    trace_ids: set[str] = set()
    for file in files.sources:
        try:
            for part in files.read_parts(file, limits):
                outcome = await accept(part)
                counts[part.signal.value] += outcome.accepted
                trace_ids |= otlp_file.trace_ids(part)
                for reason in (*part.reasons, outcome.message):
                    if reason:
                        console().print(plain(f"{file.path}: {reason}"), style="yellow")
        except Rejected as error:
            raise explain_rejection(file, error) from error
        except (CollectorError, Unreachable) as error:
            raise Fault(f"{file.path} was not imported: {error}", exit_code=_UNREACHABLE) from error
        files.describe(file)
    files.refuse_unreadable()
    spans, logs = counted(counts["traces"], "span"), counted(counts["logs"], "log record")
    click.echo(f"imported {spans} and {logs} from {counted(len(files.sources), 'file')}")
    return trace_ids


def _post(client: HttpClient, part: Part) -> ExportOutcome:
    answer = client.send(f"/v1/{part.signal}", part.body, content_type=_PROTOBUF)
    if not answer.is_success:
        raise Unreachable(f"the server answered {answer.status}: {answer.content[:200].decode(errors='replace')}")
    service = SERVICES[part.signal]
    response: Any = service.response.FromString(answer.content)
    rejected = getattr(response.partial_success, service.rejected_field)
    message = response.partial_success.error_message
    return ExportOutcome(accepted=otlp_file.count(part) - rejected, rejected=rejected, message=message)
