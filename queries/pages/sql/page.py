"""The page of SQL: my own question, and its answer as a table, a chart and a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from starlette.responses import Response

from ...cookbook.errors import BadParameter
from ...http.body import LARGE_FORM_BYTES
from ...http.query_answer import AskedQuery, answer_query, read_query
from ...http.refusal import REFUSING, Refusal, refusal_of
from ...machine import without_folders
from ...public_objects import list_functions
from ...result import Result
from ..errors import PageError
from ..page import page
from ..visit import Visit
from .cells import ResultTable, make_table
from .chart import Chart, find_chart
from .fault import Fault, describe_fault
from .question import Question, read_question, read_reports
from .schema import read_relations

__all__ = ["ask_sql", "download_answer", "download_long_answer", "show_sql"]

_MOST_ROWS: Final = 1_000
_TIME_LIMIT_S: Final = 30.0
_LONGEST_IN_URL: Final = 4_096
_BAD_REQUEST: Final = 400
_FILES: Final = ("csv", "json", "parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """The answer to a question. `row_count` rows were read, some of them may be too many for the page."""

    table: ResultTable
    chart: Chart | None
    row_count: int
    is_truncated: bool
    elapsed_ms: float


@page("GET", "/sql")
async def show_sql(visit: Visit) -> Response:
    """Show the editor, and the answer to the question of the URL."""
    return await _show(visit, dict(visit.request.query_params))


@page("POST", "/sql", form_bytes=LARGE_FORM_BYTES, only_reads=True)
async def ask_sql(visit: Visit) -> Response:
    """Show the answer to a question that is too long for a URL."""
    return await _show(visit, _flatten(await visit.form()))


@page("GET", "/sql/download")
async def download_answer(visit: Visit) -> Response:
    """Answer with all rows as a file. CSV has no formulas for spreadsheets, unless the URL says `formulas=keep`."""
    return await _download(visit, dict(visit.request.query_params))


@page("POST", "/sql/download", form_bytes=LARGE_FORM_BYTES, only_reads=True)
async def download_long_answer(visit: Visit) -> Response:
    """Answer with all rows of a question that is too long for a URL."""
    return await _download(visit, _flatten(await visit.form()))


async def _show(visit: Visit, fields: Mapping[str, str]) -> Response:
    library = await read_reports(visit)
    question = read_question(fields, library)
    shown, fault = None, None
    if question is not None and not fields.get("edit"):
        try:
            shown = await _answer(visit, question, fields.get("column"))
        except BadParameter as error:
            fault = Fault(_BAD_REQUEST, f"{error}")
        except REFUSING as error:
            fault = describe_fault(refusal_of(error, sql=question.sql), question.sql)
    return visit.render(
        "sql/page.html",
        status=200 if fault is None else fault.status,
        question=question,
        shown=shown,
        fault=fault,
        reports=library.reports.values(),
        faults={name: without_folders(text) for name, text in library.faults.items()},
        relations=await read_relations(visit),
        functions=list_functions(),
        files=_FILES,
        most_rows=_MOST_ROWS,
        address=None if question is None else _make_address(question),
    )


async def _answer(visit: Visit, question: Question, column: str | None) -> _Shown:
    def show(result: Result) -> _Shown:
        return _Shown(
            table=make_table(result, visit.links),
            chart=find_chart(result, column),
            row_count=result.table.num_rows,
            is_truncated=result.truncated,
            elapsed_ms=result.elapsed_ms,
        )

    asked = _make_query(visit, question, max_rows=_MOST_ROWS)
    return await read_query(visit.site.api, visit.request, asked, show, max_rows=_MOST_ROWS)


async def _download(visit: Visit, fields: Mapping[str, str]) -> Response:
    question = read_question(fields, await read_reports(visit))
    format_name = fields.get("format", "")
    if question is None or format_name not in _FILES:
        raise PageError(_BAD_REQUEST, "There is nothing to download", "Ask a question first.", link=("/sql", "SQL"))
    try:
        is_for_sheets = format_name == "csv" and fields.get("formulas") != "keep"
        written = "csv-without-formulas" if is_for_sheets else format_name
        query = _make_query(visit, question, max_rows=None, format_name=written)
        response = await answer_query(visit.site.api, visit.request, query)
    except (BadParameter, Refusal) as error:
        back = (_make_address(question) or "/sql", "Show the question")
        status = error.status if isinstance(error, Refusal) else _BAD_REQUEST
        raise PageError(status, "The question was not answered", f"{error}", link=back) from error
    name = question.report.name or "answer"
    response.headers["content-disposition"] = f'attachment; filename="{name}.{format_name}"'
    return response


def _make_query(
    visit: Visit, question: Question, *, max_rows: int | None, format_name: str = "json-table"
) -> AskedQuery:
    """Return the query of a question. Raises BadParameter."""
    return AskedQuery(
        sql=question.sql,
        parameters=question.fill(visit.site.now()),
        max_rows=max_rows,
        timeout_s=_TIME_LIMIT_S,
        format_name=format_name,
    )


def _make_address(question: Question) -> str | None:
    """Return the URL that asks the question; None if it would be too long."""
    asked = {"report": question.report.name} if question.is_stored else {"sql": question.sql}
    address = f"/sql?{urlencode({**asked, **question.given})}"
    return address if len(address) <= _LONGEST_IN_URL else None


def _flatten(fields: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: values[0] for name, values in fields.items() if values}
