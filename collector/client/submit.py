"""Submits annotations: to the server that holds the store, or else to the store itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import orjson
from pydantic import ValidationError

from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.catalog import report
from tracegrade.queries.http.annotations import MAX_ANNOTATIONS
from tracegrade.queries.http.body import MAX_BODY_BYTES
from tracegrade.queries.path_segment import write_segment
from tracegrade.queries.ports import Annotation, AnnotationRefused, CommandRefused

from ..config.settings import Settings
from ..feedback.annotation_file import Entry
from ..store.results.annotations import Annotations
from ..store.results.writer import Results
from .query import Read
from .source import LocalSource, RemoteSource, Unacceptable

__all__ = ["Keep", "Submitted", "keep_all", "keeping", "refuse_without_run", "removing"]

Keep: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], Sequence[str]]
"""Stores annotations, all or none, and returns their ids in `scores`.

Raises Unacceptable if one of them is wrong, and Fault for any error that would also affect the others.
"""


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of a submission: the ids of the scores that were stored, and the entries that were refused."""

    score_ids: Sequence[str]
    refused: Sequence[Entry]


@contextmanager
def keeping(source: LocalSource | RemoteSource, settings: Settings) -> Iterator[Keep]:
    """Yield the function that stores annotations, through the server that holds the store or in the opened store."""
    if isinstance(source, RemoteSource):
        yield partial(_send, source)
        return
    results = Results(source.database)
    try:
        yield partial(_write, Annotations(results, has_outbox=settings.export.endpoint is not None))
    finally:
        results.close()


@contextmanager
def removing(source: LocalSource | RemoteSource) -> Iterator[Callable[[str], None]]:
    """Yield the function that removes the annotation with a score_id. It raises Unacceptable."""
    if isinstance(source, RemoteSource):
        yield partial(_send_removal, source)
        return
    results = Results(source.database)
    try:
        yield partial(_remove, Annotations(results))
    finally:
        results.close()


def refuse_without_run(read: Read, entries: Sequence[Entry]) -> list[Entry]:
    """Mark entries as refused that name a trace without a run. The traces are looked up in batches."""
    checked: list[Entry] = []
    for batch in _split_batches(entries):
        traces = {"trace_ids": sorted({trace for entry in batch if (trace := _named_trace(entry))})}
        known = {None, *read(report("traces_with_runs"), parameters=traces).rows[0][0]}
        checked += [
            entry if (trace := _named_trace(entry)) in known else _refuse_without_run(entry, trace) for entry in batch
        ]
    return checked


def keep_all(entries: Sequence[Entry], keep: Keep) -> Submitted:
    """Store `entries` in their order; a refused one does not affect the others. Raises Fault for any other error."""
    score_ids: list[str] = []
    refused: list[Entry] = []
    waiting = list(_split_batches(entries))[::-1]
    while waiting:
        batch = waiting.pop()
        try:
            score_ids += keep([entry.annotation or {} for entry in batch])
        except Unacceptable as fault:
            if len(batch) == 1:
                refused.append(Entry(batch[0].place, fault=str(fault)))
            else:
                half = len(batch) // 2
                waiting += [batch[half:], batch[:half]]
    return Submitted(score_ids, refused)


def _named_trace(entry: Entry) -> str | None:
    """Return the id of the trace that an entry names; None if it names none."""
    target = (entry.annotation or {})["target"]
    trace: str = target.get("trace_id") or target.get("agent_trace_id", "").partition("-")[0]
    return trace.lower() or None


def _refuse_without_run(entry: Entry, trace: str | None) -> Entry:
    return Entry(entry.place, fault=f"target: there is no run in trace {trace}, or not yet")


def _split_batches(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Split entries into batches, each small enough for one request."""
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        bytes_ = len(orjson.dumps(entry.annotation)) + 1
        if batch and (len(batch) == MAX_ANNOTATIONS or size + bytes_ > MAX_BODY_BYTES // 2):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += bytes_
    if batch:
        yield batch


def _send(server: RemoteSource, bodies: Sequence[Mapping[str, Any]]) -> list[str]:
    body = bodies[0] if len(bodies) == 1 else bodies
    score_ids: list[str] = server.post("/api/v1/annotations", body).json()["score_ids"]
    return score_ids


def _write(annotations: Annotations, bodies: Sequence[Mapping[str, Any]]) -> list[str]:
    try:
        return annotations.write([Annotation.model_validate_json(orjson.dumps(body)) for body in bodies])
    except ValidationError as error:
        raise Unacceptable(explain(error, Annotation)) from error
    except AnnotationRefused as error:
        raise Unacceptable(f"{error.field}: {error}") from error


def _send_removal(server: RemoteSource, score_id: str) -> None:
    server.delete(f"/api/v1/annotations/{write_segment(score_id)}")


def _remove(annotations: Annotations, score_id: str) -> None:
    try:
        annotations.remove(score_id)
    except CommandRefused as error:
        raise Unacceptable(str(error)) from error
