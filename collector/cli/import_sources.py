"""The files that `tracegrade import` reads: their kinds, their faults, and the datasets for their expectations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from tracegrade.evaluators.formats.kinds import UnknownKind
from tracegrade.evaluators.text.messages import counted
from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.ports import DatasetChange, DatasetVersion

from ..client.datasets import Apply, add_in_portions
from ..conversion.encoding import load_writer
from ..conversion.import_file import ImportFile, recognise
from ..errors import Fault, Rejected
from ..otlp.file import Part
from ..otlp.limits import RequestLimits
from .console import console
from .fault_report import FaultReport
from .user_name import read_user_name

__all__ = ["ImportFiles", "explain_rejection"]

_UNREADABLE: Final = 2
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+|^[^A-Za-z0-9]+")
_LONGEST_NAME: Final = 100


@dataclass(frozen=True, slots=True)
class ImportFiles:
    """The files of one import. `dataset` is where all expectations go; None: to one for each file."""

    sources: Sequence[ImportFile]
    dataset: str | None
    report: FaultReport = field(default_factory=FaultReport)

    @classmethod
    def recognise(cls, files: Sequence[Path], kind: str | None, dataset: str | None) -> ImportFiles:
        """Return the files with their kinds. Raises Fault."""
        if dataset is not None:
            _make_change(dataset)
        try:
            return cls([recognise(path, kind) for path in files], dataset)
        except UnknownKind as error:
            raise Fault(str(error), exit_code=_UNREADABLE) from error

    def check(self) -> None:
        """Read all files; raise Fault, before anything is stored, if a record cannot be read."""
        for source in self.sources:
            try:
                source.check(partial(self.report.add, source.path))
            except Rejected as error:
                raise explain_rejection(source, error) from error
        self.report.refuse()

    def read_parts(self, source: ImportFile, limits: RequestLimits) -> Iterator[Part]:
        return source.parts(limits, load_writer, partial(self.report.add, source.path))

    def describe(self, source: ImportFile) -> None:
        """Print the kind of a file that is not of OTLP, and what was in it."""
        if source.kind is None:
            return
        reason = f" ({source.reason})" if source.reason else ""
        counts = f"{counted(source.runs, 'run')}, {counted(source.items, 'item')}"
        console().print(f"{source.path}: {source.kind.name}{reason}: {counts}", markup=False)

    def refuse_unreadable(self) -> None:
        """Raise Fault if there are faults, and nothing that can be read in any file."""
        is_empty = all(source.kind is not None and not (source.runs or source.items) for source in self.sources)
        if is_empty and self.report:
            self.report.conclude()
            raise Fault("no record of the files can be read", exit_code=_UNREADABLE)

    def store_items(self, apply: Apply) -> None:
        """Add the expectations in the files to datasets, and print their versions."""
        for source in self.sources:
            if source.items:
                print_version(self._add_items(source, apply))

    def _add_items(self, source: ImportFile, apply: Apply) -> DatasetVersion:
        change = _make_change(self.dataset or _name_dataset(source.path))
        return add_in_portions(apply, change, source.expectations())

    @property
    def have_items_only(self) -> bool:
        """Whether there are expectations in the files, and no run."""
        return all(source.kind is not None and source.items and not source.runs for source in self.sources)

    def conclude(self, code: int = 0) -> int:
        """Print how many faults were not named; return the exit code: 1 instead of 0 if records were left out."""
        return self.report.conclude(code)


def print_version(version: DatasetVersion) -> None:
    items = counted(version.added + version.changed, "item")
    console().print(f"dataset {version.dataset}: {items} added or changed in version {version.version}", markup=False)


def explain_rejection(source: ImportFile, error: Rejected) -> Fault:
    """Return the error for a file that is not of OTLP, or only in part."""
    message = str(error) if str(source.path) in str(error) else f"{source.path}: {error}"
    hint = f". As a file of another system: {source.unknown}" if source.unknown else ""
    return Fault(f"{message}{hint}", exit_code=_UNREADABLE)


def _make_change(dataset: str) -> DatasetChange:
    """Return a change of a dataset without items yet. Raises Fault for what is not a name."""
    try:
        return DatasetChange(dataset=dataset, author=read_user_name())
    except ValidationError as error:
        raise Fault(explain(error, DatasetChange), exit_code=_UNREADABLE) from error


def _name_dataset(path: Path) -> str:
    return _NO_NAME.sub("-", path.name.partition(".")[0]).lstrip("-._")[:_LONGEST_NAME] or "imported"
