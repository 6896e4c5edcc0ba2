"""SQL over HTTP: `POST /api/v1/sql` with `{"sql": …}`; the answer is JSON, CSV, Arrow or Parquet.

`POST /api/v1/explain` with `{"id": …}`, the beginning of the id of a trace or run, says why there is a score or none.

`door` says who may ask; `export` sends answers without a limit; `annotations` and `orders` have the routes that write.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, Protocol, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ..fence import Parameters
from ..formats import DEFAULT_FORMAT, FORMATS
from ..ports import Commands
from ..result import Result
from ..validation import faults
from .access import HEADERS, MAX_BODY_BYTES, Door, Refusal, refusing
from .admin import routes as order_routes
from .annotations import routes as annotation_routes
from .export import Exports, Streaming, left
from .hosts import AllowedHosts
from .snapshots import routes as snapshot_routes

__all__ = ["MAX_BODY_BYTES", "MAX_TAKEN_UP", "AnyReader", "Reader", "routes"]

MAX_TAKEN_UP = 16
"""So many queries are taken up; how many run at once is for the reader to say."""

M = TypeVar("M", bound=BaseModel)


class Reader(Protocol):
    """Answers one query from the store."""

    def read(
        self,
        sql: str,
        *,
        parameters: Parameters | None,
        timeout_s: float,
        max_rows: int,
        cancelled: threading.Event,
    ) -> Result:
        """MUST go through the fence and be safe to call from several threads; blocks. Raises SqlError."""
        ...


class AnyReader(Reader, Streaming, Protocol):
    """Answers a limited number of rows at once, or all of them as they come."""


class Query(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sql: str
    parameters: list[Any] | dict[str, Any] | None = None
    max_rows: int | None = Field(default=10_000, ge=1, le=1_000_000, description="null: all rows, as they come")
    timeout_s: float = Field(default=30.0, gt=0, le=300)
    format: Literal["json-table", "json", "jsonl", "csv", "arrow", "parquet"] | None = None


class Subject(BaseModel):
    """The body of a request to explain: the beginning of a trace id or agent_trace_id."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: str = Field(min_length=1, max_length=100)


def routes(
    reader: AnyReader,
    *,
    token: str | None,
    allowed_hosts: AllowedHosts | None = None,
    commands: Commands | None = None,
    explain: Callable[[str], Mapping[str, Any]] | None = None,
) -> list[Route]:
    """The routes of the API; those that write only where there are `commands`. `explain` blocks, and raises SqlError
    or Unavailable.

    Sixteen queries are taken up at once, in threads; further ones wait.
    """
    door = Door(token, allowed_hosts or AllowedHosts())
    threads = ThreadPoolExecutor(max_workers=MAX_TAKEN_UP, thread_name_prefix="sql")
    exports = Exports(reader)

    @refusing
    async def sql(request: Request) -> Response:
        query = _read_as(Query, await door.body(request))
        if query.max_rows is None:
            return await _export(request, query, exports)
        return await _answer(request, query, query.max_rows, reader=reader, threads=threads)

    reading = [Route("/api/v1/sql", sql, methods=["POST"], name="sql")]
    if explain is not None:
        reading.append(_explain_route(explain, door, threads))
    return (
        reading
        if commands is None
        else [
            *reading,
            *annotation_routes(commands, door),
            *order_routes(commands, door),
            *snapshot_routes(commands, door),
        ]
    )


def _explain_route(explain: Callable[[str], Mapping[str, Any]], door: Door, threads: ThreadPoolExecutor) -> Route:
    @refusing
    async def explained(request: Request) -> Response:
        subject = _read_as(Subject, await door.body(request))
        told = await asyncio.get_running_loop().run_in_executor(threads, explain, subject.id.lower())
        return Response(orjson.dumps(told), headers=HEADERS, media_type="application/json")

    return Route("/api/v1/explain", explained, methods=["POST"], name="explain")


def _read_as(model: type[M], body: bytes) -> M:
    try:
        return model.model_validate(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise Refusal(400, "malformed", f"the body is not JSON: {error}") from error
    except ValidationError as error:
        raise Refusal(400, "malformed", faults(error, model)) from error


async def _export(request: Request, query: Query, exports: Exports) -> Response:
    """All rows, as they come."""
    return await exports.answer(
        request,
        query.sql,
        FORMATS[query.format or _accepted(request)],
        parameters=query.parameters,
        timeout_s=query.timeout_s,
        headers={"x-tracegrade-truncated": "false", **HEADERS},
    )


async def _answer(
    request: Request, query: Query, max_rows: int, *, reader: Reader, threads: ThreadPoolExecutor
) -> Response:
    """Runs the query in a thread, and interrupts it when the client hangs up."""
    name = query.format or _accepted(request)
    cancelled = threading.Event()

    def read() -> tuple[Result, bytes]:
        result = reader.read(
            query.sql,
            parameters=query.parameters,
            timeout_s=query.timeout_s,
            max_rows=max_rows,
            cancelled=cancelled,
        )
        return result, FORMATS[name].render(result)

    reading = asyncio.get_running_loop().run_in_executor(threads, read)
    leaving = asyncio.ensure_future(left(request))
    try:
        await asyncio.wait((reading, leaving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        if not reading.done():
            cancelled.set()
    result, content = await reading
    headers = {
        "x-tracegrade-truncated": str(result.truncated).lower(),
        "x-tracegrade-rows": str(result.table.num_rows),
        "x-tracegrade-elapsed-ms": f"{result.elapsed_ms:.3f}",
        **HEADERS,
    }
    return Response(content, headers=headers, media_type=FORMATS[name].media_type)


def _accepted(request: Request) -> str:
    """The first form in the Accept header that there is; of the two in JSON, and where there is none, the default."""
    by_media_type: dict[str, str] = {}
    for name, form in FORMATS.items():
        by_media_type.setdefault(form.media_type.partition(";")[0], name)
    for media_range in request.headers.get("accept", "").split(","):
        if accepted := by_media_type.get(media_range.partition(";")[0].strip().lower()):
            return accepted
    return DEFAULT_FORMAT
