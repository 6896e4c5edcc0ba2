"""Writes the runs of files as spans, whose ids are made of what the records say: a file imported twice is stored once.

A run has the attributes of its file and its expectation on its resource, where they are read as any agent's are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tracegrade.evaluators.formats.expectation import Expectation
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kind import Kind
from tracegrade.evaluators.model import AgentTrace

from ..otlp.file import Part
from ..otlp.signal import Signal
from ..run_spans import write_runs

__all__ = ["encode_runs", "identify_run"]

_PART_BYTES: Final = 2**20
_PREFIX: Final = "tracegrade."
_TRACE_ID, _SPAN_ID = slice(0, 32), slice(32, 48)


def identify_run(entry: Imported, kind: Kind) -> Imported:
    """Return the entry with the id of its run, which is made of the record: of its id, if that is unique, else of all.

    A run that has an id of its own, or belongs to another one, keeps it.
    """
    run = entry.run
    if run is None or run.agent_trace_id or run.parent_agent_trace_id is not None:
        return entry
    digest = hashlib.sha256(_make_seed(entry, run, kind).encode()).hexdigest()
    trace_id, span_id = digest[_TRACE_ID], digest[_SPAN_ID]
    ids = {"agent_trace_id": f"{trace_id}-{span_id}", "trace_id": trace_id, "agent_span_id": span_id}
    return replace(entry, run=run.model_copy(update=ids))


def _make_seed(entry: Imported, run: AgentTrace, kind: Kind) -> str:
    if kind.has_unique_ids and entry.id is not None:
        return json.dumps([kind.name, entry.id])
    expected = None if entry.expectation is None else entry.expectation.model_dump_json()
    return json.dumps([kind.name, entry.id, run.model_dump_json(), expected, entry.metadata], default=str)


def encode_runs(entries: Iterable[Imported], *, kind: Kind, path: Path, at: datetime) -> Iterator[Part | RecordFault]:
    """Yield the runs of entries as export requests of about a MiB; a run that cannot be written is a fault.

    A run that belongs to another one follows it, and is written together with it. `at` is the time of runs whose times
    are not recorded.
    """
    body = bytearray()
    for family in _group_families(entries):
        try:
            runs = [entry.run for entry in family if entry.run is not None]
            resource = _describe(family[0], kind, path)
            body += write_runs(runs, at=at, seed=f"{kind.name} {path.name} {family[0].place}", resource=resource)
        except (ValueError, RecursionError) as error:
            yield RecordFault(family[0].place, f"it cannot be written as spans: {error}")
        if len(body) >= _PART_BYTES:
            part = Part(Signal.TRACES, bytes(body))
            body.clear()  # before the part is stored, which takes memory of its own
            yield part
    if body:
        yield Part(Signal.TRACES, bytes(body))


def _group_families(entries: Iterable[Imported]) -> Iterator[list[Imported]]:
    family: list[Imported] = []
    for entry in entries:
        if entry.run is None:
            continue
        if family and entry.run.parent_agent_trace_id is None:
            yield family
            family = []
        family.append(entry)
    if family:
        yield family


def _describe(entry: Imported, kind: Kind, path: Path) -> dict[str, str]:
    """Return the attributes of the resource: the service, where the run comes from, and what is expected of it."""
    run = entry.run
    service = None if run is None else run.service_name or run.agent_name
    about = {
        "service.name": service or path.name.partition(".")[0] or path.name,
        "tracegrade.import.format": kind.name,
        "tracegrade.import.file": path.name,
        "tracegrade.import.place": entry.place,
        "tracegrade.import.id": entry.id,
        "tracegrade.import.metadata": json.dumps(entry.metadata, default=str) if entry.metadata else None,
    }
    expected = {} if entry.expectation is None else _write_expectation(entry.expectation)
    return {name: value for name, value in {**about, **expected}.items() if value is not None}


def _write_expectation(expectation: Expectation) -> dict[str, str]:
    fields: Mapping[str, Any] = expectation.model_dump(mode="json", exclude_none=True)
    return {
        f"{_PREFIX}{name}": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in fields.items()
    }
