"""Answers a query over HTTP in one of the formats, and interrupts it when the client disconnects."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from ..fence import Parameters, SqlError
from ..formats import DEFAULT_FORMAT, FORMATS
from ..result import Result
from .api import Api
from .disconnect import finish_or_cancel
from .refusal import refusal_of
from .spool import FileAnswer

__all__ = ["ANSWER", "MEDIA_TYPES", "AskedQuery", "accepted_format", "answer_query", "read_query"]

T = TypeVar("T")


class ResultColumn(BaseModel):
    """A column of a result, with its type in DuckDB."""

    name: str
    type: str


class Table(BaseModel):
    """A result in the format `json-table`; `truncated` says whether there were more rows."""

    columns: list[ResultColumn]
    rows: list[list[Any]]
    truncated: bool
    elapsed_ms: float | None


ANSWER: Any = Table | list[dict[str, Any]]
"""The answers in the formats of JSON."""

MEDIA_TYPES = tuple(dict.fromkeys(form.media_type.partition(";")[0] for form in FORMATS.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuery:
    """A query and the limits of its answer; without `max_rows` it has all rows."""

    sql: str
    parameters: Parameters | None
    max_rows: int | None
    timeout_s: float
    format_name: str


async def answer_query(api: Api, request: Request, query: AskedQuery) -> Response:
    """Answer with at most `max_rows` rows, or with all rows as they arrive.

    Raises Refusal with the place in the query, and Unavailable.
    """
    try:
        if query.max_rows is None:
            return await _export(api, request, query)
        return await _read(api, request, query, max_rows=query.max_rows)
    except SqlError as error:
        raise refusal_of(error, sql=query.sql) from error


async def _export(api: Api, request: Request, query: AskedQuery) -> Response:
    return await api.exports.answer(
        request,
        query.sql,
        FORMATS[query.format_name],
        parameters=query.parameters,
        timeout_s=query.timeout_s,
        headers={"x-tracegrade-truncated": "false"},
    )


async def _read(api: Api, request: Request, query: AskedQuery, *, max_rows: int) -> Response:
    form = FORMATS[query.format_name]
    result, content = await read_query(
        api, request, query, lambda result: (result, api.exports.spool(form.write(result))), max_rows=max_rows
    )
    headers = {
        "x-tracegrade-truncated": str(result.truncated).lower(),
        "x-tracegrade-rows": str(result.table.num_rows),
        "x-tracegrade-elapsed-ms": f"{result.elapsed_ms:.3f}",
    }
    if isinstance(content, bytes):
        return Response(content, headers=headers, media_type=form.media_type)
    return FileAnswer(content, headers=headers, media_type=form.media_type)


async def read_query(api: Api, request: Request, query: AskedQuery, work: Callable[[Result], T], *, max_rows: int) -> T:
    """Run the query and `work` on its result in a thread, and interrupt it when the client disconnects.

    Raises SqlError and Unavailable.
    """
    cancelled = threading.Event()

    def read() -> T:
        return work(
            api.reader.read(
                query.sql,
                parameters=query.parameters,
                timeout_s=query.timeout_s,
                max_rows=max_rows,
                cancelled=cancelled,
            )
        )

    reading = asyncio.get_running_loop().run_in_executor(api.queries, read)
    return await finish_or_cancel(request, reading, cancelled)


def accepted_format(request: Request) -> str:
    """Return the first known format of the Accept header; the default for application/json and without a match."""
    by_media_type: dict[str, str] = {}
    for name, form in FORMATS.items():
        by_media_type.setdefault(form.media_type.partition(";")[0], name)
    for media_range in request.headers.get("accept", "").split(","):
        if accepted := by_media_type.get(media_range.partition(";")[0].strip().lower()):
            return accepted
    return DEFAULT_FORMAT
