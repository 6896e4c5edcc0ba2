"""Writes arriving spans and log records through a connection of its own, one commit per batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, TypeVar

import duckdb

from tracegrade.queries.catalog import statement

from ...clock import utc_now
from ...otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, Row
from ..engines.arrow import registered, schema, table_of
from ..engines.database import Database
from .known_spans import KnownSpans

__all__ = ["Arrivals", "Written"]

T = TypeVar("T")

_SPAN_IDENTITY = itemgetter(SPAN_COLUMNS.index("trace_id"), SPAN_COLUMNS.index("span_id"))
_TIME_NS = LOG_COLUMNS.index("time_ns")
_LOG_IDENTITY = itemgetter(
    *map(LOG_COLUMNS.index, ("time_ns", "trace_id", "span_id", "event_name", "body", "attributes"))
)


@dataclass(frozen=True, slots=True)
class Written:
    """The number of records that one commit stored, and of those that were stored already.

    A conflicting span is a repeated one with other content.
    """

    batch_seq: int
    spans: int = 0
    repeated_spans: int = 0
    conflicting_spans: int = 0
    logs: int = 0
    repeated_logs: int = 0


class Arrivals:
    """Writes spans and log records. For one thread. `batch_seq` is the last commit."""

    def __init__(self, database: Database, *, now: Callable[[], datetime] | None = None) -> None:
        self._database = database
        self._now = now or utc_now
        self._held: duckdb.DuckDBPyConnection | None = None
        with database.cursor() as connection:
            self._span_schema = schema(connection, "spans", SPAN_COLUMNS)
            self._log_schema = schema(connection, "logs", LOG_COLUMNS)
        self.batch_seq = 0
        self._open()
        database.before_reopening(self.close)

    def write(self, spans: Sequence[Row], logs: Sequence[Row]) -> Written:
        """Commit the rows that are not stored yet.

        Raises StoreUnavailable if the store cannot be used, and DuckDB's error if a row cannot be stored; nothing is
        written then.
        """
        with self._database.explain_errors():
            return self._write(spans, logs)

    def close(self) -> None:
        """Close the connection. The next `write` opens another."""
        if self._held is not None:
            self._held.close()
        self._held = None

    def _write(self, spans: Sequence[Row], logs: Sequence[Row]) -> Written:
        connection = self._held or self._open()
        batch_seq = self.batch_seq + 1
        stamp = {"ingested_at": self._now(), "batch_seq": batch_seq}
        connection.execute("begin")
        try:
            new: Sequence[Row] = self._new_spans(connection, spans) if spans else ()
            conflicts = self._write_spans(connection, spans, new, stamp) if spans else 0
            kept_logs = self._write_logs(connection, logs, stamp) if logs else 0
            connection.execute("commit")
            self.batch_seq = batch_seq
            self._known.add(map(_SPAN_IDENTITY, new), batch_seq=batch_seq)
        except BaseException:
            _roll_back(connection)
            self._known.doubt(map(_SPAN_IDENTITY, spans))
            raise
        return Written(
            batch_seq=batch_seq,
            spans=len(new),
            repeated_spans=len(spans) - len(new),
            conflicting_spans=conflicts,
            logs=kept_logs,
            repeated_logs=len(logs) - kept_logs,
        )

    def _open(self) -> duckdb.DuckDBPyConnection:
        """Open the connection, and read the last commit: one that failed with the engine may have succeeded."""
        self._held = self._database.connect_writer()
        # All rows are fetched: an open result would prevent checkpoints until the next arrival.
        [(batch_seq,)] = self._held.execute(statement("last_batch_seq")).fetchall()
        self.batch_seq = batch_seq
        self._known = KnownSpans(batch_seq)
        return self._held

    def _new_spans(self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> list[Row]:
        """Return the rows whose spans are not stored yet, each once."""
        distinct = _firsts(rows, _SPAN_IDENTITY)
        stored = self._known.stored(connection, distinct.keys())
        return [row for ids, row in distinct.items() if ids not in stored]

    def _write_spans(
        self,
        connection: duckdb.DuckDBPyConnection,
        rows: Sequence[Row],
        new: Sequence[Row],
        stamp: Mapping[str, Any],
    ) -> int:
        """Write the `new` ones of `rows`. Returns how many of the others have the ids of a span with other content."""
        if new:
            with registered(connection, "arriving_spans", table_of(new, self._span_schema)):
                connection.execute(statement("insert_spans"), stamp)
        are_new = {id(row) for row in new}
        repeated = [row for row in rows if id(row) not in are_new]
        if not repeated:
            return 0
        first_seq = self._known.first_seq(map(_SPAN_IDENTITY, repeated), batch_seq=stamp["batch_seq"])
        with registered(connection, "arriving_spans", table_of(repeated, self._span_schema)):
            known = {"first_seq": first_seq}
            [(first_seq, last_seq)] = connection.execute(statement("commits_of_spans"), known).fetchall()
            bounds = {"first_seq": first_seq, "last_seq": last_seq}
            return _count(connection.execute(statement("log_conflicting_spans"), {**stamp, **bounds}))

    def _write_logs(self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], stamp: dict[str, Any]) -> int:
        """Write the log records that are not stored yet. Returns their number."""
        bounds = _bounds(row[_TIME_NS] for row in rows)
        distinct = _firsts(rows, _LOG_IDENTITY)
        with registered(connection, "arriving_logs", table_of([*distinct.values()], self._log_schema)):
            return _count(connection.execute(statement("insert_logs"), {**stamp, **bounds}))


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    try:
        connection.execute("rollback")
    except duckdb.Error:
        return  # the commit or the failed statement has already ended the transaction


def _firsts(rows: Sequence[Row], identity: Callable[[Row], T]) -> dict[T, Row]:
    """Return the first row of each identity."""
    found: dict[T, Row] = {}
    for row in rows:
        found.setdefault(identity(row), row)
    return found


def _bounds(instants: Iterable[int]) -> dict[str, int]:
    ordered = sorted(instants)
    return {"earliest_ns": ordered[0], "latest_ns": ordered[-1]}


def _count(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.fetchone()
    return int(row[0]) if row else 0
