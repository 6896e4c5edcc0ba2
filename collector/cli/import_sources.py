"""The files that `tracegrade import` reads: their kinds, their faults, and the datasets for their expectations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from tracegrade.evaluators.formats.kinds import UnknownKind
from tracegrade.evaluators.text.messages import counted
from tracegrade.evaluators.text.validation_errors import explain
from tracegrade.queries.ports import DatasetChange, DatasetVersion

from ..conversion.import_file import ImportFile, recognise
from ..errors import Fault, Rejected
from ..otlp.file import Part
from ..otlp.limits import RequestLimits
from ..system.user_name import read_user_name
from .console import console
from .fault_report import FaultReport

if TYPE_CHECKING:
    from ..client.source import LocalSource, RemoteSource
    from ..store.experiments.datasets import Datasets

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
        return source.parts(limits, partial(self.report.add, source.path))

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

    def store_items(self, source: LocalSource | RemoteSource, datasets: Datasets | None = None) -> None:
        """Add the expectations in the files to datasets, and print their versions.

        They are added with `datasets` of a store that this process holds, else through the server that is the source.
        """
        if not any(file.items for file in self.sources):
            return
        from ..client.datasets import add_in_portions, change_dataset, changing  # noqa: PLC0415 - most files have none

        of_store = None if datasets is None else nullcontext(partial(change_dataset, datasets))
        with of_store or changing(source) as apply:
            for file in self.sources:
                if file.items:
                    change = _make_change(self.dataset or _name_dataset(file.path))
                    print_version(add_in_portions(apply, change, file.expectations()))

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
