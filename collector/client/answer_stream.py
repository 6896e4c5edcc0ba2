"""Streams an answer of any size: from the store itself, or from the server that holds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from ..errors import Fault, SqlRefused
from .http_client import Incoming, Unreachable
from .source import LocalSource, RemoteSource

__all__ = ["AnswerStream", "stream_answer"]

_UNREACHABLE: Final = 4


@dataclass
class AnswerStream:
    """The bytes of an answer, in `portions` that can be read once.

    `truncated` and `rows` are known after that; `rows` is None if they were not counted.
    """

    portions: Iterator[bytes]
    truncated: bool = False
    rows: int | None = None


@contextmanager
def stream_answer(
    source: LocalSource | RemoteSource,
    sql: str,
    form: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
    timeout_s: float,
) -> Iterator[AnswerStream]:
    """Yield the answer to `sql`, in full or up to `limit` rows. Raises SqlRefused or Fault, as do its portions."""
    opening = (
        _open_local(source, sql, form, parameters, limit=limit, timeout_s=timeout_s)
        if isinstance(source, LocalSource)
        else _open_remote(source, sql, form, parameters, limit=limit, timeout_s=timeout_s)
    )
    with opening as stream:
        yield stream


@contextmanager
def _open_local(
    source: LocalSource,
    sql: str,
    form: str,
    parameters: Mapping[str, Any] | None,
    *,
    limit: int | None,
    timeout_s: float,
) -> Iterator[AnswerStream]:
    from tracegrade.queries import fence  # noqa: PLC0415 - with a server, neither DuckDB nor Arrow is needed
    from tracegrade.queries.formats import FORMATS  # noqa: PLC0415 - likewise

    try:
        with fence.stream(
            source.database.connect, sql, parameters=parameters, timeout_s=timeout_s, max_rows=limit
        ) as answer:
            stream = AnswerStream(iter(()))

            def portions() -> Iterator[bytes]:
                yield from FORMATS[form].write(answer)
                stream.truncated, stream.rows = answer.truncated, answer.row_count

            stream.portions = portions()
            yield stream
    except fence.SqlError as error:
        raise SqlRefused(str(error)) from error


@contextmanager
def _open_remote(
    source: RemoteSource,
    sql: str,
    form: str,
    parameters: Mapping[str, Any] | None,
    *,
    limit: int | None,
    timeout_s: float,
) -> Iterator[AnswerStream]:
    body = {"sql": sql, "parameters": parameters, "format": form, "max_rows": limit, "timeout_s": timeout_s}
    with source.answering("/api/v1/sql", body) as answer:
        rows = answer.headers.get("x-tracegrade-rows")
        yield AnswerStream(
            portions=_read_portions(source.url, answer),
            truncated=answer.headers.get("x-tracegrade-truncated") == "true",
            rows=None if rows is None else int(rows),
        )


def _read_portions(url: str, answer: Incoming) -> Iterator[bytes]:
    """Yield the portions. Raises Fault if the server closes the connection, since the output is then incomplete."""
    try:
        yield from answer.portions()
    except Unreachable as error:
        raise Fault(
            f"the server at {url} interrupted its answer, so the output is incomplete. Its log says why; if the query "
            "is slow, raise --timeout",
            exit_code=_UNREACHABLE,
        ) from error
