"""What a reader asks: a report, or a SELECT of their own, with the values of its parameters.

A SELECT of one's own is a report without a name: its `$parameters` are fields, too, and `$since` and `$until` are read
as they are for reports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ...cookbook.errors import ReportError, UnknownReport
from ...cookbook.library import Library
from ...cookbook.parameters import fill
from ...cookbook.report import Report
from ...machine import without_folders
from ...read.window import BEGINNING
from ...sql_file import SqlFile
from ..errors import PageError
from ..selection import ALL
from ..visit import Visit

__all__ = ["Question", "read_question", "read_reports"]

_SINCE: Final = "since"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A report, which has a name unless the reader wrote it. `given` are the values of its parameters as they were
    written, without those that are empty."""

    report: Report
    given: Mapping[str, str]

    @property
    def sql(self) -> str:
        return self.report.sql

    @property
    def is_stored(self) -> bool:
        """Whether it is a report with a name."""
        return bool(self.report.name)

    def fill(self, now: datetime) -> Mapping[str, str | None] | None:
        """Return the values of the parameters as they are sent with the SELECT. Raises BadParameter."""
        return fill(self.report, self.given, now=now).values or None


async def read_reports(visit: Visit) -> Library:
    """Return the reports, those of the user as well. Raises PageError."""
    try:
        return await asyncio.to_thread(visit.site.api.listings.reports)
    except ReportError as error:
        raise PageError(503, "The reports cannot be read", f"{without_folders(str(error))}.") from error


def read_question(fields: Mapping[str, str], library: Library) -> Question | None:
    """Return what the fields of a form or a URL ask; None if they ask nothing. Raises PageError."""
    name, sql = fields.get("report", "").strip(), fields.get("sql", "").replace("\r\n", "\n").strip()
    if not name and not sql:
        return None
    report = _find(name, library) if name else _make_report(sql)
    return Question(report=report, given=_read_given(fields, report))


def _find(name: str, library: Library) -> Report:
    try:
        return library.find(name)
    except ReportError as error:
        status = 404 if isinstance(error, UnknownReport) else 400
        title = "There is no such report" if status == 404 else "This report cannot be used"
        link = ("/sql", "All reports")
        raise PageError(status, title, f"{without_folders(str(error))}.", link=link) from error


def _make_report(sql: str) -> Report:
    return Report(SqlFile(kind="report", name="", file="", header={}, text=sql), is_own=True)


def _read_given(fields: Mapping[str, str], report: Report) -> dict[str, str]:
    """Return the values of parameters; the period that was chosen on another page is that of the report, too."""
    chosen = {_SINCE: fields.get("from", ""), "until": fields.get("to", "")}
    given = {name: fields.get(name, "").strip() or chosen.get(name, "") for name in report.parameters}
    if given.get(_SINCE) == ALL:
        given[_SINCE] = BEGINNING.isoformat()
    return {name: value for name, value in given.items() if value}
