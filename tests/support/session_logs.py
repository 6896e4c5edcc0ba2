"""Logs of sessions: values become records, as the lines of a file would."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.model import AgentTrace

__all__ = ["faults_of", "make_records", "runs_of"]


def make_records(values: Iterable[Any]) -> Iterator[Record]:
    """A record for each value, at `line 1` and so on."""
    return (Record(f"line {number}", value) for number, value in enumerate(values, 1))


def runs_of(entries: Iterable[Imported | RecordFault]) -> list[AgentTrace]:
    """The runs, none of whose records may be a fault."""
    runs: list[AgentTrace] = []
    for entry in entries:
        assert isinstance(entry, Imported), entry
        assert entry.run is not None
        runs.append(entry.run)
    return runs


def faults_of(entries: Iterable[Imported | RecordFault]) -> list[tuple[str, str]]:
    """The faults, as place and reason."""
    return [(entry.place, entry.reason) for entry in entries if isinstance(entry, RecordFault)]
