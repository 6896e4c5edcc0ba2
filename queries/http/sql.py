"""SQL over HTTP: the answer is JSON, CSV, Arrow or Parquet."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from ..fence import SqlError
from ..formats import DEFAULT_FORMAT, FORMATS
from ..result import Result
from .api import Api
from .endpoint import Call, endpoint
from .export import wait_for_disconnect
from .refusal import refusal_of

__all__ = ["sql"]


class Query(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sql: str
    parameters: list[Any] | dict[str, Any] | None = None
    max_rows: int | None = Field(default=10_000, ge=1, le=1_000_000, description="null: all rows, as they arrive")
    timeout_s: float = Field(default=30.0, gt=0, le=300, allow_inf_nan=False)
    format: Literal["json-table", "json", "jsonl", "csv", "arrow", "parquet"] | None = None


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


@endpoint(
    "POST",
    "/api/v1/sql",
    "run one SELECT",
    body=Query,
    answer=Table | list[dict[str, Any]],
    media_types=tuple(dict.fromkeys(form.media_type.partition(";")[0] for form in FORMATS.values())),
    example='{"sql": "from latest_scores"}',
)
async def sql(api: Api, call: Call) -> Response:
    """Answer with at most `max_rows` rows, or with all rows as they arrive."""
    query = call.body(Query)
    format_name = query.format or _accepted_format(call.request)
    try:
        if query.max_rows is None:
            return await _export(api, call.request, query, format_name)
        return await _read(api, call.request, query, format_name, max_rows=query.max_rows)
    except SqlError as error:
        raise refusal_of(error, sql=query.sql) from error


async def _export(api: Api, request: Request, query: Query, format_name: str) -> Response:
    return await api.exports.answer(
        request,
        query.sql,
        FORMATS[format_name],
        parameters=query.parameters,
        timeout_s=query.timeout_s,
        headers={"x-tracegrade-truncated": "false"},
    )


async def _read(api: Api, request: Request, query: Query, format_name: str, *, max_rows: int) -> Response:
    """Run the query in a thread, and interrupt it when the client disconnects."""
    cancelled = threading.Event()

    def read() -> tuple[Result, bytes]:
        result = api.reader.read(
            query.sql,
            parameters=query.parameters,
            timeout_s=query.timeout_s,
            max_rows=max_rows,
            cancelled=cancelled,
        )
        return result, FORMATS[format_name].render(result)

    reading = asyncio.get_running_loop().run_in_executor(api.queries, read)
    disconnect = asyncio.ensure_future(wait_for_disconnect(request))
    try:
        await asyncio.wait((reading, disconnect), return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnect.cancel()
        if not reading.done():
            cancelled.set()
    result, content = await reading
    headers = {
        "x-tracegrade-truncated": str(result.truncated).lower(),
        "x-tracegrade-rows": str(result.table.num_rows),
        "x-tracegrade-elapsed-ms": f"{result.elapsed_ms:.3f}",
    }
    return Response(content, headers=headers, media_type=FORMATS[format_name].media_type)


def _accepted_format(request: Request) -> str:
    """Return the first known format of the Accept header; the default for application/json and without a match."""
    by_media_type: dict[str, str] = {}
    for name, form in FORMATS.items():
        by_media_type.setdefault(form.media_type.partition(";")[0], name)
    for media_range in request.headers.get("accept", "").split(","):
        if accepted := by_media_type.get(media_range.partition(";")[0].strip().lower()):
            return accepted
    return DEFAULT_FORMAT
