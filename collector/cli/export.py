"""An answer of any size, a portion at a time: from the store itself, or as the server that holds it sends it."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import urlsplit

import orjson

from ..errors import Fault, SqlRefused
from .source import LocalSource, RemoteSource, fault_of

__all__ = ["Export", "exported"]

_T = TypeVar("_T")

_UNREACHABLE: Final = 4
_PORTION_BYTES: Final = 2**18
_GRACE_S: Final = 5.0
"""How much longer than the query may take its answer is waited for."""


@dataclass
class Export:
    """The bytes of an answer, in `portions` that can be read once. Whether it was `truncated`, and after how many
    `rows`, is known after them; rows are None where nobody counts them."""

    portions: Iterator[bytes]
    truncated: bool = False
    rows: int | None = None


@contextmanager
def exported(
    source: LocalSource | RemoteSource, sql: str, form: str, *, limit: int | None, timeout_s: float
) -> Iterator[Export]:
    """What `sql` answers, in full or up to `limit` rows. Raises SqlRefused or Fault, also from its portions."""
    opened = (
        _local(source, sql, form, limit=limit, timeout_s=timeout_s)
        if isinstance(source, LocalSource)
        else _remote(source, sql, form, limit=limit, timeout_s=timeout_s)
    )
    with opened as export:
        yield export


@contextmanager
def _local(source: LocalSource, sql: str, form: str, *, limit: int | None, timeout_s: float) -> Iterator[Export]:
    from tracegrade.queries import fence  # noqa: PLC0415 - a client of a server needs neither DuckDB nor Arrow
    from tracegrade.queries.formats import FORMATS  # noqa: PLC0415 - likewise

    try:
        with fence.stream(source.database.connect, sql, timeout_s=timeout_s, max_rows=limit) as answer:
            export = Export(iter(()))

            def portions() -> Iterator[bytes]:
                yield from FORMATS[form].write(answer)
                export.truncated, export.rows = answer.truncated, answer.row_count

            export.portions = portions()
            yield export
    except fence.SqlError as error:
        raise SqlRefused(str(error)) from error


@contextmanager
def _remote(source: RemoteSource, sql: str, form: str, *, limit: int | None, timeout_s: float) -> Iterator[Export]:
    body = {"sql": sql, "format": form, "max_rows": limit, "timeout_s": timeout_s}
    with closing(_connection(source.url, timeout_s + _GRACE_S)) as connection:
        response = _told(source.url, lambda: _asked(connection, source, body))
        if response.status != HTTPStatus.OK:
            raise fault_of(source.url, response.status, _told(source.url, response.read))
        rows = response.headers.get("x-tracegrade-rows")
        yield Export(
            portions=_portions(source.url, response),
            truncated=response.headers.get("x-tracegrade-truncated") == "true",
            rows=None if rows is None else int(rows),
        )


def _connection(url: str, timeout_s: float) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=timeout_s)


def _asked(
    connection: http.client.HTTPConnection, source: RemoteSource, body: Mapping[str, object]
) -> http.client.HTTPResponse:
    headers = {"content-type": "application/json"}
    if source.token:
        headers["authorization"] = f"Bearer {source.token}"
    path = f"{urlsplit(source.url).path.rstrip('/')}/api/v1/sql"
    connection.request("POST", path, body=orjson.dumps(body), headers=headers)
    return connection.getresponse()


def _told(url: str, work: Callable[[], _T]) -> _T:
    try:
        return work()
    except (OSError, http.client.HTTPException) as error:
        raise Fault(f"the server at {url} does not answer: {error}", exit_code=_UNREACHABLE) from error


def _portions(url: str, response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Raises Fault where the server cuts the connection: what came is a part then, and not the answer."""
    left = response.length  # None: in chunks, of which the last one is told
    try:
        while portion := response.read1(_PORTION_BYTES):
            left = None if left is None else left - len(portion)
            yield portion
    except (OSError, http.client.HTTPException) as error:
        raise _broken_off(url) from error
    if left:
        raise _broken_off(url)


def _broken_off(url: str) -> Fault:
    return Fault(
        f"the server at {url} broke off its answer: what was written is not all of it. Its log says why; a query that "
        "gives no row for long gets more time by --timeout",
        exit_code=_UNREACHABLE,
    )
