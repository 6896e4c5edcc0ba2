"""Runs the queries of `queries.read` for requests: our own SQL in this process, SQL of users behind the fence."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from starlette.requests import Request

from ..fence import SqlError, find_place
from ..filter import RunFilter
from ..read.source import Read, Sources
from ..result import Result
from .api import Api
from .disconnect import finish_or_cancel
from .problem import Details
from .readers import Reader
from .refusal import Refusal, refusal_of

__all__ = ["answer_read"]

T = TypeVar("T")

_TIME_LIMIT_S: Final = 30.0
_MOST_ROWS: Final = 10_000


async def answer_read(
    api: Api, request: Request, work: Callable[[Sources], T], *, run_filter: RunFilter | None = None
) -> T:
    """Return what `work` reads; its queries are interrupted when the client disconnects.

    Raises Refusal if a pool is full or the SQL in the filter is wrong, and what `work` raises.
    """
    cancelled = threading.Event()
    own = _bind(api.own, cancelled)
    sources = Sources(own, _bind(api.reader, cancelled, run_filter))
    if run_filter is None or run_filter.predicate is None:
        reading = asyncio.ensure_future(api.reads.run(lambda: work(sources)))
    else:
        reading = asyncio.ensure_future(asyncio.get_running_loop().run_in_executor(api.queries, work, sources))
    return await finish_or_cancel(request, reading, cancelled)


def _bind(reader: Reader, cancelled: threading.Event, run_filter: RunFilter | None = None) -> Read:
    def read(sql: str, *, parameters: Mapping[str, Any] | None = None) -> Result:
        try:
            return reader.read(
                sql, parameters=parameters, timeout_s=_TIME_LIMIT_S, max_rows=_MOST_ROWS, cancelled=cancelled
            )
        except SqlError as error:
            if run_filter is None or run_filter.predicate is None:
                raise
            raise _refuse_predicate(error, sql, run_filter) from error

    return read


def _refuse_predicate(error: SqlError, sql: str, run_filter: RunFilter) -> Refusal:
    """Return the refusal with the place in the filter at which its SQL is wrong."""
    refusal = refusal_of(error)
    details = refusal.details or Details()
    place, begin = find_place(str(error), sql), run_filter.predicate_position or 0
    offset = -1 if place is None else place.position - run_filter.find_predicate(sql)
    if 0 <= offset <= len(run_filter.predicate or ""):
        details = details.model_copy(update={"position": begin + offset})
    return Refusal(refusal.status, refusal.kind, f"q, in its SQL: {refusal}", details=details)
