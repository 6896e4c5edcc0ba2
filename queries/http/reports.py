"""Reports over HTTP: the questions that this server answers, and their answers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from tracegrade.evaluators.text.suggestions import most_similar

from ..cookbook.errors import BadParameter, ReportError, UnknownReport
from ..cookbook.library import Library
from ..cookbook.parameters import fill
from ..cookbook.report import Report
from ..machine import without_folders
from .api import Api
from .endpoint import Call, endpoint
from .problem import Details
from .query_answer import ANSWER, MEDIA_TYPES, AskedQuery, accepted_format, answer_query
from .refusal import Refusal
from .sql import FormatName

__all__ = ["answer_report", "show_reports"]


class ReportEntry(BaseModel):
    """A report: its question, what identifies a row, how to read it, and what each parameter selects.

    `period` is how long before its end the period begins if `since` is not given. `is_own`: it is one of the user's.
    """

    name: str
    question: str
    grain: str
    note: str
    is_own: bool
    period: str | None
    parameters: dict[str, str]


class ReportList(BaseModel):
    """All reports by name. `faults` are the files of the user that cannot be used, each with what is wrong with it."""

    reports: list[ReportEntry]
    faults: dict[str, str]


class ReportQuery(BaseModel):
    """How a report is answered. Its own parameters are query parameters, too."""

    model_config = ConfigDict(frozen=True, extra="allow")

    format: FormatName | None = Field(default=None, description="default: by the Accept header, else json-table")
    max_rows: int = Field(default=10_000, ge=1, le=1_000_000)
    timeout_s: float = Field(default=30.0, gt=0, le=300, allow_inf_nan=False)


@endpoint("GET", "/api/v1/reports", "the reports: questions with their parameters", answer=ReportList)
async def show_reports(api: Api, _: Call) -> ReportList:
    """Answer with every report, also those of the user."""
    library = await _read_library(api)
    faults = {name: without_folders(fault) for name, fault in library.faults.items()}
    return ReportList(reports=[_describe(report) for report in library.reports.values()], faults=faults)


@endpoint(
    "GET",
    "/api/v1/reports/{name}",
    "answer a report",
    query=ReportQuery,
    answer=ANSWER,
    media_types=MEDIA_TYPES,
)
async def answer_report(api: Api, call: Call) -> Response:
    """Answer in a process of its own, since a report may take long."""
    query = call.query(ReportQuery)
    library, name = await _read_library(api), call.path("name")
    try:
        report = library.find(name)
        filled = fill(report, query.model_extra or {}, now=datetime.now(UTC).replace(tzinfo=None))
    except ReportError as error:
        raise _refuse(error, library, name) from error
    asked = AskedQuery(
        sql=report.sql,
        parameters=filled.values,
        max_rows=query.max_rows,
        timeout_s=query.timeout_s,
        format_name=query.format or accepted_format(call.request),
    )
    return await answer_query(api, call.request, asked)


async def _read_library(api: Api) -> Library:
    try:
        return await asyncio.to_thread(api.listings.reports)
    except ReportError as error:
        raise Refusal(503, "unavailable", without_folders(str(error))) from error


def _describe(report: Report) -> ReportEntry:
    return ReportEntry(
        name=report.name,
        question=report.question,
        grain=report.grain,
        note=report.note,
        is_own=report.is_own,
        period=report.period,
        parameters={name: report.meaning(name) for name in report.parameters},
    )


def _refuse(error: ReportError, library: Library, name: str) -> Refusal:
    text = without_folders(str(error))
    match error:
        case UnknownReport():
            return Refusal(404, "not_found", text, details=Details(near=most_similar(name, library.reports)))
        case BadParameter():
            return Refusal(400, "malformed", text)
        case _:
            return Refusal(400, "failed", text)
