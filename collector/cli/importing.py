"""Imports files into a store: in this process, or through the server that holds the store."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

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
from ..otlp.limits import Limits
from ..otlp.signal import Signal
from ..receiver import Outcome
from ..server.pipeline import Pipeline
from ..store.engines.selection import locate
from ..store.errors import StoreLocked
from ..version import version
from ..worker.start import Started
from .console import NOBODY_AT_WORK, console, plain

__all__ = ["imported"]

_USAGE, _NOTHING_EVALUATED, _UNREACHABLE = 2, 3, 4
_PROTOBUF = "application/x-protobuf"
_POLL_S = 0.5
_PORTION = 5_000
_SMALL_BYTES = 32 * 2**20
_NOT_LOOKED_AT = "it is paused, or waits for late spans"

Accept = Callable[[Part], Awaitable[Outcome]]


def imported(
    files: Sequence[Path], *, store: str | None, config: Path | None, evaluate: bool, worker: Started | None
) -> int:
    """Import the files; give the exit code. `worker` assembles the runs, if there is one."""
    settings = load_settings(config, store=store)
    missing = [str(file) for file in files if not file.is_file()]
    if missing:
        raise Fault(f"file not found: {', '.join(missing)}", exit_code=_USAGE)
    _leave_pandas_out()
    try:
        pipeline = Pipeline(_at_once(settings), worker, threads=_threads(settings, files))
    except StoreLocked:
        note = find_server(settings.store)
        if note is None:
            raise
        return asyncio.run(_through_server(note, settings, files, evaluate=evaluate))
    return asyncio.run(_alone(pipeline, settings, files, evaluate=evaluate))


def _threads(settings: Settings, files: Iterable[Path]) -> int | None:
    """Gives one thread for a small import: more threads of DuckDB cost a quarter of its time without work."""
    sizes = [file.stat().st_size for file in files]
    return 1 if sum(sizes) + locate(settings.store).size_bytes() < _SMALL_BYTES else None


def _leave_pandas_out() -> None:
    """Prevent DuckDB from importing pandas. It would look for it twice per parameter of each statement, and importing
    it takes half a second. Everything that evaluators import has been imported before."""
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]  # which means that there is none


def _at_once(settings: Settings) -> Settings:
    """Give settings that do not wait for late spans or idle sessions, since a file is complete."""
    at_once = timedelta(0)
    assembly = settings.assembly.model_copy(update={"judge_settle": at_once})
    evaluation = settings.evaluation.model_copy(update={"session_idle": at_once})
    return settings.model_copy(update={"assembly": assembly, "evaluation": evaluation})


async def _alone(pipeline: Pipeline, settings: Settings, files: Sequence[Path], *, evaluate: bool) -> int:
    pipeline.start()
    try:
        sent = await _send(files, lambda part: pipeline.queue.accept(part.signal, part.body), settings.ingest.limits)
        await pipeline.finish(evaluate=evaluate)
        outbox = pipeline.outbox(settings, version())
        if outbox is not None and not await asyncio.to_thread(outbox.flush):
            click.echo(f"{settings.export.endpoint} does not accept scores now; the next server sends them")
        source = LocalSource(pipeline.database)
        return await asyncio.to_thread(_concluded, source, sent, evaluators_of(settings)) if evaluate else 0
    finally:
        await pipeline.close()


async def _through_server(note: ServerNote, settings: Settings, files: Sequence[Path], *, evaluate: bool) -> int:
    """Send the files to the server that holds the store; the server evaluates them."""
    click.echo(f"the server with pid {note.pid} holds the store; importing through it")
    if not evaluate:
        click.echo("the server evaluates these runs in spite of --no-evaluate; this command does not wait")
    client = HttpClient(note.otlp_url, timeout_s=60)
    sent = await _send(files, lambda part: asyncio.to_thread(_post, client, part), settings.ingest.limits)
    judges = evaluators_of(settings) if evaluate else []
    at_once = [one for one in judges if one.schedule is None]
    waited_for = {
        "evaluators": [one.name for one in at_once if one.scope != "tool"],
        "tool_evaluators": [one.name for one in at_once if one.scope == "tool"],
    }
    with open_source(settings, note.url) as source:
        for trace_ids in _portions(sorted(sent)):
            asked = {"trace_ids": trace_ids, **waited_for}
            while any(source.read(report("pending"), parameters=asked).rows[0]):  # noqa: ASYNC110 - elsewhere
                await asyncio.sleep(_POLL_S)
        return _concluded(source, sent, judges) if evaluate else 0


def _concluded(source: Source, sent: set[str], evaluators: Sequence[Configured]) -> int:
    """Report failed and deferred evaluations of these traces; give the exit code."""
    scores, failed = 0, 0
    if _tell_what_waits(source, sent, evaluators) and isinstance(source, LocalSource):
        click.echo(NOBODY_AT_WORK)
    for trace_ids in _portions(sorted(sent)):
        for row in source.read(report("scores_of_traces"), parameters={"trace_ids": trace_ids}).table.to_pylist():
            scores, failed = scores + row["scores"], failed + row["errors"]
            if row["errors"]:
                told = f"{row['evaluator']} failed on {row['errors']} of {row['scores']}: {row['reason']}"
                console().print(plain(told), style="yellow")
    if scores > failed or not any(one.scope in {"trace", "tool_call"} for one in evaluators):
        return 0
    why = "" if failed else f"; `tracegrade {'explain TRACE' if sent else 'doctor FILE'}` shows why"
    click.echo(f"nothing was evaluated{why}")
    return _NOTHING_EVALUATED


def _tell_what_waits(source: Source, sent: set[str], evaluators: Sequence[Configured]) -> bool:
    """Print which evaluations by judges or scheduled evaluators are missing, and why.

    Gives whether there are any.
    """
    later = [one for one in evaluators if one.kind == "llm" or one.schedule]
    forms = {
        "evaluators": [one.name for one in later],
        "evaluator_versions": [one.version for one in later],
        "config_hashes": [one.config_hash for one in later],
    }
    usual = {one.name: f"scheduled ({one.schedule})" for one in later if one.schedule}
    waiting: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for trace_ids in _portions(sorted(sent)) if later else ():
        asked = {"trace_ids": trace_ids, **forms}
        for row in source.read(report("waiting_of_traces"), parameters=asked).table.to_pylist():
            waiting[row["evaluator"]] += row["new"] + row["put_off"]
            reasons.setdefault(row["evaluator"], row["reason"] or usual.get(row["evaluator"], _NOT_LOOKED_AT))
    for name, count in waiting.items():
        told = f"{name}: {counted(count, 'score')} not evaluated yet: {reasons[name]}"
        console().print(plain(told), style="yellow")
    return bool(waiting)


def _portions(trace_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split trace ids into portions that one query may name."""
    yield from (trace_ids[at : at + _PORTION] for at in range(0, len(trace_ids), _PORTION))


async def _send(files: Sequence[Path], accept: Accept, limits: Limits) -> set[str]:
    """Send every part of every file; print what was accepted and what was not; give the trace ids in hex."""
    counts: Counter[str] = Counter()
    sent: set[str] = set()
    for file in files:
        try:
            for part in otlp_file.read(file, limits):
                outcome = await accept(part)
                counts[part.signal.value] += outcome.accepted
                sent |= otlp_file.trace_ids(part)
                for reason in (*part.reasons, outcome.message):
                    if reason:
                        console().print(plain(f"{file}: {reason}"), style="yellow")
        except Rejected as error:
            told = str(error) if str(file) in str(error) else f"{file}: {error}"
            raise Fault(told, exit_code=_USAGE) from error
        except (CollectorError, Unreachable) as error:
            raise Fault(f"{file} was not imported: {error}", exit_code=_UNREACHABLE) from error
    spans, logs = counted(counts["traces"], "span"), counted(counts["logs"], "log record")
    click.echo(f"imported {spans} and {logs} from {counted(len(files), 'file')}")
    return sent


def _post(client: HttpClient, part: Part) -> Outcome:
    answer = client.send(f"/v1/{part.signal}", part.body, content_type=_PROTOBUF)
    if not answer.is_success:
        raise Unreachable(f"the server answered {answer.status}: {answer.content[:200].decode(errors='replace')}")
    partial = _RESPONSES[part.signal].FromString(answer.content).partial_success if part.signal in _RESPONSES else None
    rejected = int(getattr(partial, "rejected_spans", 0) or getattr(partial, "rejected_log_records", 0))
    message = partial.error_message if partial else ""
    return Outcome(accepted=otlp_file.count(part) - rejected, rejected=rejected, message=message)


_RESPONSES: dict[Signal, Any] = {
    Signal.TRACES: ExportTraceServiceResponse,
    Signal.LOGS: ExportLogsServiceResponse,
}
