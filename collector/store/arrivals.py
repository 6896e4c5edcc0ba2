"""The connection that writes what arrives: spans and logs, a commit a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any

import duckdb

from tracegrade.queries.catalog import statement

from ..clock import utc_now
from ..decode import LOG_COLUMNS, SPAN_COLUMNS, Row
from .arrow import registered, schema, table_of
from .database import Database

__all__ = ["Arrivals", "Written"]

_START_NS = SPAN_COLUMNS.index("start_ns")
_TIME_NS = LOG_COLUMNS.index("time_ns")
_LOG_IDENTITY = itemgetter(
    *map(LOG_COLUMNS.index, ("time_ns", "trace_id", "span_id", "event_name", "body", "attributes"))
)


@dataclass(frozen=True, slots=True)
class Written:
    """What one commit brought."""

    batch_seq: int
    spans: int = 0
    repeated_spans: int = 0
    conflicting_spans: int = 0
    logs: int = 0
    repeated_logs: int = 0


class Arrivals:
    """Writes spans and logs. For one thread."""

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
        """Commits the rows that are not kept yet. Raises duckdb.Error with nothing written, and StoreUnavailable."""
        connection = self._held or self._open()
        batch_seq = self.batch_seq + 1
        stamp = {"ingested_at": self._now(), "batch_seq": batch_seq}
        connection.execute("begin")
        try:
            kept_spans, conflicts = self._write_spans(connection, spans, stamp) if spans else (0, 0)
            kept_logs = self._write_logs(connection, logs, stamp) if logs else 0
            connection.execute("commit")
        except BaseException:
            _roll_back(connection)
            raise
        self.batch_seq = batch_seq
        return Written(
            batch_seq=batch_seq,
            spans=kept_spans,
            repeated_spans=len(spans) - kept_spans,
            conflicting_spans=conflicts,
            logs=kept_logs,
            repeated_logs=len(logs) - kept_logs,
        )

    def close(self) -> None:
        if self._held is not None:
            self._held.close()
        self._held = None

    def _open(self) -> duckdb.DuckDBPyConnection:
        """A connection, and how far the store is: a commit that failed when it was given up may be there."""
        self._held = self._database.connect_writer()
        # Read to its end, for an answer that is not keeps DuckDB from checkpointing until something arrives.
        [(batch_seq,)] = self._held.execute(statement("last_batch_seq")).fetchall()
        self.batch_seq = batch_seq
        return self._held

    def _write_spans(
        self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], stamp: dict[str, Any]
    ) -> tuple[int, int]:
        """How many were new, and how many came with ids that were taken by another content."""
        parameters = {**stamp, **_bounds(row[_START_NS] for row in rows)}
        distinct = _firsts(rows, itemgetter(0, 1))
        with registered(connection, "arriving_spans", table_of(distinct, self._span_schema)):
            kept = _count(connection.execute(statement("insert_spans"), parameters))
        if kept == len(rows):
            return kept, 0
        with registered(connection, "arriving_spans", table_of(rows, self._span_schema)):
            return kept, _count(connection.execute(statement("note_conflicting_spans"), parameters))

    def _write_logs(self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], stamp: dict[str, Any]) -> int:
        bounds = _bounds(row[_TIME_NS] for row in rows)
        distinct = _firsts(rows, _LOG_IDENTITY)
        with registered(connection, "arriving_logs", table_of(distinct, self._log_schema)):
            return _count(connection.execute(statement("insert_logs"), {**stamp, **bounds}))


def _roll_back(connection: duckdb.DuckDBPyConnection) -> None:
    try:
        connection.execute("rollback")
    except duckdb.Error:
        return  # the failed statement has already ended the transaction


def _firsts(rows: Sequence[Row], identity: Callable[[Row], object]) -> list[Row]:
    """The first row of each identity."""
    found: dict[object, Row] = {}
    for row in rows:
        found.setdefault(identity(row), row)
    return list(found.values())


def _bounds(instants: Iterable[int]) -> dict[str, int]:
    ordered = sorted(instants)
    return {"earliest_ns": ordered[0], "latest_ns": ordered[-1]}


def _count(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.fetchone()
    return int(row[0]) if row else 0
