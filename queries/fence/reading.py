"""Runs an accepted query within its time limit, in a read-only transaction, in bounded memory."""

from __future__ import annotations

import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain, islice
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa

from ..result import Column, Result, Stream
from .admission import admit
from .deadline import Deadline, interrupting
from .errors import SqlFailed, explain_error
from .instance import is_hardened

__all__ = ["MAX_RESULT_BYTES", "Parameters", "read", "stream"]

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]

MAX_RESULT_BYTES: Final = 32 * 2**20
"""The size of the largest answer of `read`, in Arrow: `memory_limit` does not count rows that have left DuckDB."""

_NO_ARROW_FORM = {"BIGNUM", "BIT", "TIME WITH TIME ZONE", "UHUGEINT"}
_RELATIONS_STREAM = int(duckdb.__version__.partition(".")[0]) >= 2
_BATCH_ROWS = 1024
_SMALL_BUFFER = "set streaming_buffer_size = '64KB'"


def read(
    open_cursor: Callable[[], duckdb.DuckDBPyConnection],
    sql: str,
    *,
    parameters: Parameters | None = None,
    timeout_s: float,
    max_rows: int,
    cancelled: threading.Event | None = None,
) -> Result:
    """Answer `sql` with at most `max_rows` rows and 32 MiB; `truncated` says whether there was more.

    `open_cursor` returns a new connection on a hardened instance (`connection.cursor`, or a function that also
    registers tables for joins); it is closed here. Blocks; setting `cancelled` ends the query as the time limit does.
    Raises SqlRefused, SqlFailed, SqlTimedOut; RuntimeError if the instance is not hardened.
    """
    began = time.perf_counter()
    with closing(open_cursor()) as cursor:
        if not is_hardened(cursor):
            raise RuntimeError("fence.read on an instance that fence.harden has not shut off")
        stopped = threading.Event()
        try:
            with interrupting(cursor, Deadline(timeout_s), cancelled or threading.Event(), stopped):
                statement = admit(cursor, sql)
                _begin_transaction(cursor)
                columns, table, truncated = _fetch_table(cursor, statement, parameters, max_rows=max_rows)
        except (duckdb.Error, pa.ArrowException, OSError) as error:  # the latter two while streaming
            raise explain_error(error, stopped=stopped.is_set(), timeout_s=timeout_s) from error
    elapsed_ms = (time.perf_counter() - began) * 1000
    return Result(columns=columns, table=table, truncated=truncated, elapsed_ms=elapsed_ms)


@contextmanager
def stream(
    open_cursor: Callable[[], duckdb.DuckDBPyConnection],
    sql: str,
    *,
    parameters: Parameters | None = None,
    timeout_s: float,
    max_rows: int | None = None,
    cancelled: threading.Event | None = None,
) -> Iterator[Stream]:
    """Answer `sql` with all rows, or `max_rows` of them, in bounded memory; through the same fence as `read`.

    The time limit applies to each wait for further rows; the time that the reader of the stream takes does not count.
    The first rows are read before this returns, so that most failures are raised before anything is written. May be
    used by one thread after another. Raises as `read` does, also from `batches`.
    """
    began = time.perf_counter()
    with closing(open_cursor()) as cursor:
        if not is_hardened(cursor):
            raise RuntimeError("fence.stream on an instance that fence.harden has not shut off")
        deadline, stopped = Deadline(timeout_s), threading.Event()
        with interrupting(cursor, deadline, cancelled or threading.Event(), stopped):
            try:
                statement = admit(cursor, sql)
                _begin_transaction(cursor)
                columns, reader = _open_reader(cursor, statement, parameters)
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                raise explain_error(error, stopped=stopped.is_set(), timeout_s=timeout_s) from error
            with closing(reader):
                batches = _read_batches(reader, deadline, stopped)
                first = list(islice(batches, 1))
                yield Stream(columns, reader.schema, chain(first, batches), max_rows=max_rows, began=began)


def _read_batches(reader: pa.RecordBatchReader, deadline: Deadline, stopped: threading.Event) -> Iterator[Any]:
    """Yield the batches, each read within the time limit."""
    while True:
        deadline.begin()
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise explain_error(error, stopped=stopped.is_set(), timeout_s=deadline.timeout_s) from error
        finally:
            deadline.pause()
        yield batch


def _begin_transaction(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute(_SMALL_BUFFER)
    cursor.execute("begin transaction read only")


def _fetch_table(
    cursor: duckdb.DuckDBPyConnection, statement: duckdb.Statement, parameters: Parameters | None, *, max_rows: int
) -> tuple[tuple[Column, ...], pa.Table, bool]:
    columns, reader = _open_reader(cursor, statement, parameters)
    batches: list[pa.RecordBatch] = []
    rows_left, bytes_left, truncated = max_rows, MAX_RESULT_BYTES, False
    with closing(reader):
        for batch in reader:
            kept = batch.slice(0, min(rows_left, _count_fitting(batch, bytes_left)))
            if not kept.num_rows and rows_left and not batches:
                raise SqlFailed(
                    f"one row has more than {MAX_RESULT_BYTES >> 20} MiB: select a part of it, or ask for all rows, "
                    "which come without this limit",
                    limit=MAX_RESULT_BYTES,
                )
            batches.append(kept)
            rows_left -= kept.num_rows
            bytes_left -= kept.nbytes
            if truncated := kept.num_rows < batch.num_rows:
                break
    return columns, pa.Table.from_batches(batches, reader.schema), truncated


def _count_fitting(batch: pa.RecordBatch, size_bytes: int) -> int:
    """Return how many of the first rows have at most `size_bytes`."""
    if batch.nbytes <= size_bytes:
        return len(batch)
    return bisect_right(range(1, batch.num_rows + 1), size_bytes, key=lambda rows: batch.slice(0, rows).nbytes)


def _make_relation(
    cursor: duckdb.DuckDBPyConnection, statement: duckdb.Statement, parameters: Parameters | None
) -> duckdb.DuckDBPyRelation:
    """Return the answer to come; of a statement that is wrong, DuckDB 2.0 says where only when it is executed."""
    try:
        return cursor.sql(statement, params=parameters)
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
        cursor.execute(statement, parameters)
        raise


def _open_reader(
    cursor: duckdb.DuckDBPyConnection, statement: duckdb.Statement, parameters: Parameters | None
) -> tuple[tuple[Column, ...], pa.RecordBatchReader]:
    """Open a stream whose memory does not depend on the size of the answer.

    DuckDB 1.5 streams after `execute`, but holds the whole answer of `sql` with parameters; 2.0 streams from `sql`, but
    copies the whole answer after `execute`.

    DuckDB computes ahead of its reader until a buffer is full, and counts a text as 16 bytes regardless of its length:
    the default buffer of a megabyte may hold 60,000 long texts, half a gigabyte that is outside of memory_limit.
    """
    source: duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation
    if _RELATIONS_STREAM:
        source = _make_relation(cursor, statement, parameters)
        columns = tuple(Column(name, str(type_)) for name, type_ in zip(source.columns, source.types, strict=True))
    else:
        source = cursor.execute(statement, parameters)
        columns = tuple(Column(name, str(type_)) for name, type_, *_ in source.description or ())
    for column in columns:
        if column.type in _NO_ARROW_FORM:
            raise SqlFailed(f"{column.name}: {column.type} has no exact form outside of DuckDB; cast it to varchar.")
    return columns, source.to_arrow_reader(_BATCH_ROWS)
