"""Runs the reports of the cookbook, and those of a user's own folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tracegrade.queries.cookbook.library import Library, read_library
from tracegrade.queries.cookbook.parameters import Filled, fill
from tracegrade.queries.cookbook.report import Report
from tracegrade.queries.result import Result

from ..client.query import Read
from ..config.settings import Settings, settings_file

__all__ = ["Answered", "AskedReport", "answer", "ask", "open_library"]


@dataclass(frozen=True, kw_only=True)
class AskedReport:
    """A report with the values of its parameters."""

    report: Report
    filled: Filled


@dataclass(frozen=True, kw_only=True)
class Answered(AskedReport):
    """The answer to a report, and for which period it was asked."""

    result: Result


def open_library(settings: Settings) -> Library:
    """Read all reports, those of the folder that the settings name, too. It is beside the file of the settings.

    The usual folder may be missing. Raises ReportError if it cannot be read.
    """
    file = settings_file(settings)
    folder = (file.parent if file else Path()) / settings.reports
    if not folder.is_dir() and settings.reports == type(settings).model_fields["reports"].default:
        return read_library()
    return read_library(folder)


def ask(library: Library, name: str, given: Mapping[str, str], *, now: datetime) -> AskedReport:
    """Find the report of this name, and read the parameters that are given. Raises ReportError."""
    report = library.find(name)
    return AskedReport(report=report, filled=fill(report, given, now=now))


def answer(read: Read, asked: AskedReport) -> Answered:
    """Answer a report. Raises SqlRefused if the store refuses or fails it."""
    result = read(asked.report.sql, parameters=asked.filled.values)
    return Answered(report=asked.report, filled=asked.filled, result=result)
