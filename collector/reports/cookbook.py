"""Runs the reports of the cookbook, and those of a user's own folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tracegrade.queries.cookbook.errors import ReportError
from tracegrade.queries.cookbook.library import Library, read_library
from tracegrade.queries.cookbook.parameters import Filled, fill
from tracegrade.queries.cookbook.report import Report
from tracegrade.queries.result import Result

from ..client.query import Read
from ..config.settings import Settings
from ..errors import Fault

__all__ = ["Answered", "answer", "open_library"]

_USAGE = 2


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The answer to a report, and for which period it was asked."""

    report: Report
    filled: Filled
    result: Result


def open_library(settings: Settings, file: Path | None) -> Library:
    """Read all reports, those of the folder that the settings name, too. `file` is that of the settings.

    The usual folder may be missing. Raises Fault if it cannot be read.
    """
    folder = (file.parent if file else Path()) / settings.reports
    if not folder.is_dir() and settings.reports == type(settings).model_fields["reports"].default:
        return read_library()
    try:
        return read_library(folder)
    except ReportError as error:
        raise Fault(str(error), exit_code=_USAGE) from error


def answer(read: Read, library: Library, name: str, given: Mapping[str, str], *, now: datetime) -> Answered:
    """Answer the report of this name with the parameters that are given.

    Raises Fault if there is no such report or parameter, SqlRefused if the store refuses or fails it.
    """
    try:
        report = library.find(name)
        filled = fill(report, given, now=now)
    except ReportError as error:
        raise Fault(str(error), exit_code=_USAGE) from error
    return Answered(report=report, filled=filled, result=read(report.sql, parameters=filled.values))
