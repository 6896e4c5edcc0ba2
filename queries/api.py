"""SQL over HTTP: `POST /api/v1/sql` with `{"sql": …}`; the answer is JSON, CSV, Arrow or Parquet.

Who may ask: whoever presents the token, where one is set. A page in a browser never does by accident: a form cannot
send application/json to another site, and a foreign name that resolves to this address is no allowed host.
Every refusal is `{"error": {"kind", "message"}}`.
"""

from __future__ import annotations

import asyncio
import hmac
import threading
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, Protocol

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .fence import Parameters, SqlError, SqlTimedOut
from .result import FORMATS, Result

__all__ = ["LOOPBACK_NAMES", "MAX_BODY_BYTES", "MAX_CONCURRENT_READS", "Reader", "host_names", "routes"]

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
MAX_BODY_BYTES = 2**20
MAX_CONCURRENT_READS = 4

_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


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


class Query(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    sql: str
    parameters: list[Any] | dict[str, Any] | None = None
    max_rows: int = Field(default=10_000, ge=1, le=1_000_000)
    timeout_s: float = Field(default=30.0, gt=0, le=300)
    format: Literal["json", "csv", "arrow", "parquet"] | None = None


class _Refusal(Exception):
    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


def host_names(bound: str, *more: str) -> frozenset[str]:
    """The names that a request may call this server by: the loopback's, the address it listens on, and `more`."""
    return LOOPBACK_NAMES | {_host_name(name) for name in (bound, *more)}


def routes(reader: Reader, *, token: str | None, allowed_hosts: Collection[str] = LOOPBACK_NAMES) -> list[Route]:
    """The routes of the SQL API. Four queries run at once, in threads; further ones wait their turn."""
    threads = ThreadPoolExecutor(max_workers=MAX_CONCURRENT_READS, thread_name_prefix="sql")

    async def sql(request: Request) -> Response:
        try:
            _check_host(request, allowed_hosts)
            _check_token(request, token)
            query = _query(await _body(request))
            return await _answer(request, query, reader=reader, threads=threads)
        except _Refusal as refusal:
            return _error(refusal.status, refusal.kind, str(refusal))
        except SqlError as error:
            return _error(408 if isinstance(error, SqlTimedOut) else 400, error.kind, str(error))

    return [Route("/api/v1/sql", sql, methods=["POST"], name="sql")]


def _check_host(request: Request, allowed: Collection[str]) -> None:
    name = _host_name(request.headers.get("host", ""))
    if name not in allowed:
        raise _Refusal(
            403, "forbidden", f"this server is not called {name!r}; if it should be, add that name to its allowed hosts"
        )


def _host_name(host: str) -> str:
    """Without port and brackets, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.lower() if host.count(":") > 1 else host.partition(":")[0].lower()


def _check_token(request: Request, token: str | None) -> None:
    scheme, _, presented = request.headers.get("authorization", "").partition(" ")
    if token is None or (
        scheme.lower() == "bearer" and hmac.compare_digest(presented.strip().encode(), token.encode())
    ):
        return
    raise _Refusal(
        401, "unauthorized", "send `Authorization: Bearer …` with the value of the server's TRACEGRADE_TOKEN"
    )


async def _body(request: Request) -> bytes:
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise _Refusal(415, "malformed", f"the content type must be application/json, not {content_type or 'absent'}")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise _Refusal(413, "malformed", f"the body is over {MAX_BODY_BYTES} bytes")
    return bytes(body)


def _query(body: bytes) -> Query:
    try:
        return Query.model_validate(orjson.loads(body))
    except orjson.JSONDecodeError as error:
        raise _Refusal(400, "malformed", f"the body is not JSON: {error}") from error
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'body'}: {each['msg']}" for each in error.errors())
        raise _Refusal(400, "malformed", faults) from error


async def _answer(request: Request, query: Query, *, reader: Reader, threads: ThreadPoolExecutor) -> Response:
    """Runs the query in a thread, and interrupts it when the client hangs up."""
    name = query.format or _accepted(request)
    cancelled = threading.Event()

    def read() -> tuple[Result, bytes]:
        result = reader.read(
            query.sql,
            parameters=query.parameters,
            timeout_s=query.timeout_s,
            max_rows=query.max_rows,
            cancelled=cancelled,
        )
        return result, FORMATS[name].render(result)

    reading = asyncio.get_running_loop().run_in_executor(threads, read)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((reading, leaving), return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
        if not reading.done():
            cancelled.set()
    result, content = await reading
    headers = {
        "x-tracegrade-truncated": str(result.truncated).lower(),
        "x-tracegrade-elapsed-ms": f"{result.elapsed_ms:.3f}",
        **_HEADERS,
    }
    return Response(content, headers=headers, media_type=FORMATS[name].media_type)


async def _left(request: Request) -> None:
    """Returns when the client has hung up. The body has been read: nothing else can arrive."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _accepted(request: Request) -> str:
    """The first form in the Accept header that there is; JSON where none is."""
    by_media_type = {form.media_type.partition(";")[0]: name for name, form in FORMATS.items()}
    for media_range in request.headers.get("accept", "").split(","):
        if name := by_media_type.get(media_range.partition(";")[0].strip().lower()):
            return name
    return "json"


def _error(status: int, kind: str, message: str) -> Response:
    headers = {"www-authenticate": "Bearer", **_HEADERS} if status == 401 else _HEADERS
    body = orjson.dumps({"error": {"kind": kind, "message": message}})
    return Response(body, status, headers, media_type="application/json")
