"""A file to import: the parts that are ingested, and what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.item_kinds import make_item
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kind import Kind
from tracegrade.evaluators.formats.kinds import UnknownKind

from ..otlp import file as otlp_file
from ..otlp.file import Part
from ..otlp.limits import RequestLimits
from ..otlp.portions import portions
from .encoding import encode_runs, identify_run
from .recognition import OTLP, is_otlp, open_file

__all__ = ["ImportFile", "recognise"]

NoteFault = Callable[[RecordFault], object]


@dataclass(slots=True)
class ImportFile:
    """A file whose kind is known; without a kind it is of OTLP. `reason` says by which fields it was recognised.

    `unknown` says why a file that may be of OTLP is of no other kind. The counts are those of the last reading.
    """

    path: Path
    kind: Kind | None = None
    reason: str = ""
    unknown: str = ""
    runs: int = field(default=0, init=False)
    items: int = field(default=0, init=False)
    faults: int = field(default=0, init=False)

    def parts(self, limits: RequestLimits, note_fault: NoteFault) -> Iterator[Part]:
        """Yield the runs as export requests; each record that cannot be read is noted. Raises as `otlp.file` does."""
        if self.kind is None:
            yield from otlp_file.read(self.path, limits)
            return
        at = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        entries = (entry for entry, _ in self._read(note_fault))
        for part in encode_runs(entries, kind=self.kind, path=self.path, at=at):
            if isinstance(part, RecordFault):
                self._note(part, note_fault)
                continue
            for body in portions(part.body, limits):
                yield Part(part.signal, body)

    def expectations(self) -> Iterator[DatasetItem]:
        """Yield the items of the file: what is expected, of recorded runs and of others. Reads the file again."""
        for _, item in self._read(lambda _: None):
            if item is not None:
                yield item

    def check(self, note_fault: NoteFault) -> None:
        """Read the whole file, and note what cannot be read. Raises as `otlp.file` does."""
        if self.kind is None:
            for part in otlp_file.read(self.path):
                for reason in part.reasons:
                    self._note(RecordFault("", reason), note_fault)
            return
        for _ in self._read(note_fault):
            pass

    def _read(self, note_fault: NoteFault) -> Iterator[tuple[Imported, DatasetItem | None]]:
        """Yield what can be read, each run with its id, and with the item that the record is, if any."""
        self.runs = self.items = self.faults = 0
        if self.kind is None:
            return
        with open_file(self.path, self.kind.name) as file:
            for entry in file.entries:
                if isinstance(entry, RecordFault):
                    self._note(entry, note_fault)
                    continue
                identified = identify_run(entry, self.kind)
                try:
                    item = _make_item(identified)
                except ValueError as error:
                    self._note(RecordFault(entry.place, str(error)), note_fault)
                    continue
                self.runs += entry.run is not None
                self.items += item is not None
                yield identified, item

    def _note(self, fault: RecordFault, note_fault: NoteFault) -> None:
        self.faults += 1
        note_fault(fault)


def recognise(path: Path, kind: str | None = None) -> ImportFile:
    """Return a file with its kind, which is detected unless it is given. Raises UnknownKind and Fault."""
    if kind == OTLP or (kind is None and is_otlp(path)):
        return ImportFile(path)
    try:
        with open_file(path, kind) as file:
            return ImportFile(path, file.kind, file.reason)
    except UnknownKind as error:
        if kind is not None:
            raise
        return ImportFile(path, unknown=str(error))


def _make_item(entry: Imported) -> DatasetItem | None:
    """Return the item of an entry: a run without input or expectation has none. Raises ValueError."""
    run = entry.run
    if run is None:
        return make_item(entry)
    has_expectation = entry.expectation is not None and bool(entry.expectation.defined)
    if not has_expectation or not (entry.input or run.input):
        return None
    source = {"agent_trace_id": run.agent_trace_id, "revision": 1} if run.agent_trace_id else None
    return make_item(replace(entry, source=source))
