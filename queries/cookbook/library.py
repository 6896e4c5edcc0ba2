"""All reports by name: those of this package, and those in a folder of the user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from tracegrade.evaluators.text.suggestions import hint

from ..sql_file import BadHeader, read_file
from .errors import BadReport, UnknownReport
from .report import Report

__all__ = ["Library", "read_library"]


@dataclass(frozen=True, kw_only=True)
class Library:
    """The reports by name, and for each file of the user that cannot be used, what is wrong with it."""

    reports: Mapping[str, Report]
    faults: Mapping[str, str]

    def find(self, name: str) -> Report:
        """Return the report of this name. Raises UnknownReport or BadReport."""
        if name in self.faults:
            raise BadReport(self.faults[name])
        if name not in self.reports:
            raise UnknownReport(f"there is no report {name!r}{hint(name, sorted(self.reports))}")
        return self.reports[name]


def read_library(folder: Path | None = None) -> Library:
    """Read all reports; one in `folder` replaces one of this package that has its name.

    A file in `folder` that cannot be read does not keep the others from use. Raises BadReport if there is a `folder`
    that cannot be listed.
    """
    own: dict[str, Report] = {}
    faults: dict[str, str] = {}
    for file in _list_files(folder) if folder is not None else ():
        try:
            own[file.stem] = _read_own(file)
        except BadReport as error:
            faults[file.stem] = str(error)
    ours = {name: report for name, report in _read_ours().items() if name not in faults}
    reports = {**ours, **own}
    return Library(reports={name: reports[name] for name in sorted(reports)}, faults=faults)


def _list_files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.suffix == ".sql")
    except OSError as error:
        raise BadReport(f"{folder}: the folder of reports cannot be read: {error.strerror}") from error


def _read_own(file: Path) -> Report:
    try:
        report = Report(read_file("report", file), is_own=True)
    except BadHeader as error:
        raise BadReport(f"{file.parent / str(error)}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BadReport(f"{file}: {error}") from error
    if not report.question:
        raise BadReport(f"{file}: its header has no line `-- purpose: …`, which says the question")
    if report.file.splices:
        raise BadReport(f"{file}: a report has parameters ($name) in place of `splices`")
    return report


@cache
def _read_ours() -> Mapping[str, Report]:
    return {entry.name.removesuffix(".sql"): Report(read_file("report", entry)) for entry in _list_ours()}


def _list_ours() -> Iterator[Traversable]:
    folder = files("tracegrade.queries").joinpath("cookbook")
    yield from (entry for entry in folder.iterdir() if entry.name.endswith(".sql"))
