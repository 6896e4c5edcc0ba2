"""Writes arriving spans and log records through a connection of its own, one commit per batch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, TypeVar

import duckdb
import orjson

from tracegrade.queries.catalog import statement

from ...clock import utc_now
from ...otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, Row
from ..engines.arrow import read_table, registered, schema, table_of
from ..engines.database import Database
from ..engines.transaction import transaction
from .known_spans import KnownSpans, SpanId

__all__ = ["Arrivals", "Written"]

T = TypeVar("T")

_SPAN_IDENTITY = itemgetter(SPAN_COLUMNS.index("trace_id"), SPAN_COLUMNS.index("span_id"))
_MOST_VERSIONS = 4
_SERVICE, _START_NS, _END_NS, _ATTRIBUTES, _EVENTS = map(
    SPAN_COLUMNS.index, ("service_name", "start_ns", "end_ns", "attributes", "events")
)
_ORIGIN = itemgetter(*map(SPAN_COLUMNS.index, ("service_name", "scope_name")))
_CONTENT = itemgetter(
    *map(
        SPAN_COLUMNS.index,
        ("name", "parent_span_id", "start_ns", "end_ns", "status_code", "attributes", "events"),
    )
)
"""The columns in which versions of a span differ."""
_TIME_NS = LOG_COLUMNS.index("time_ns")
_LOG_IDENTITY = itemgetter(
    *map(LOG_COLUMNS.index, ("time_ns", "trace_id", "span_id", "event_name", "body", "attributes"))
)


@dataclass(frozen=True, slots=True)
class Written:
    """The number of records that one commit stored, and of those that were stored already.

    A conflicting span is a repeated one with other content, from another service or scope.
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
        try:
            with transaction(connection):
                new: Sequence[Row] = self._new_spans(connection, spans) if spans else ()
                conflicts = self._write_spans(connection, spans, new, stamp) if spans else 0
                kept_logs = self._write_logs(connection, logs, stamp) if logs else 0
            self.batch_seq = batch_seq
            self._known.add(map(_SPAN_IDENTITY, new), batch_seq=batch_seq)
        except BaseException:
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
            stored = {_SPAN_IDENTITY(row): row for row in _span_rows(connection, "differing_spans", bounds)}
        if not stored:
            return 0
        arriving = [
            row
            for row in repeated
            if (former := stored.get(_SPAN_IDENTITY(row))) is not None and _CONTENT(row) != _CONTENT(former)
        ]
        foreign = [row for row in arriving if not _is_of_same_origin(row, stored[_SPAN_IDENTITY(row)])]
        conflicts = 0
        if foreign:
            with registered(connection, "arriving_spans", table_of(foreign, self._span_schema)):
                conflicts = _count(connection.execute(statement("log_conflicting_spans"), {**stamp, **bounds}))
        own = [row for row in arriving if _is_of_same_origin(row, stored[_SPAN_IDENTITY(row)])]
        if own:
            self._renew_spans(connection, own, stored, stamp, bounds)
        return conflicts

    def _renew_spans(
        self,
        connection: duckdb.DuckDBPyConnection,
        arriving: Sequence[Row],
        stored: Mapping[SpanId, Row],
        stamp: Mapping[str, Any],
        bounds: Mapping[str, int],
    ) -> None:
        """Store further versions of spans, and let the one of each that counts most be its row in `spans`."""
        versions: dict[SpanId, list[Row]] = {}
        for row in arriving:
            versions.setdefault(_SPAN_IDENTITY(row), [stored[_SPAN_IDENTITY(row)]]).append(row)
        ids = [stored[span_id] for span_id in versions]
        with registered(connection, "renewed_spans", table_of(ids, self._span_schema)):
            for row in _span_rows(connection, "versions_of_spans"):
                versions[_SPAN_IDENTITY(row)].append(row)
            ordered = {span_id: _order_versions(rows) for span_id, rows in versions.items()}
            connection.execute(statement("delete_span_versions"))
        others = [row for rows in ordered.values() for row in rows[1:]]
        if others:
            with registered(connection, "other_versions", table_of(others, self._span_schema)):
                connection.execute(statement("insert_span_versions"), stamp)
        better = [rows[0] for span_id, rows in ordered.items() if _CONTENT(rows[0]) != _CONTENT(stored[span_id])]
        if better:
            with registered(connection, "renewed_spans", table_of(better, self._span_schema)):
                connection.execute(statement("delete_spans"), bounds)
            with registered(connection, "arriving_spans", table_of(better, self._span_schema)):
                connection.execute(statement("insert_spans"), stamp)

    def _write_logs(self, connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], stamp: dict[str, Any]) -> int:
        """Write the log records that are not stored yet. Returns their number."""
        bounds = _bounds(row[_TIME_NS] for row in rows)
        distinct = _firsts(rows, _LOG_IDENTITY)
        with registered(connection, "arriving_logs", table_of([*distinct.values()], self._log_schema)):
            return _count(connection.execute(statement("insert_logs"), {**stamp, **bounds}))


def _firsts(rows: Sequence[Row], identity: Callable[[Row], T]) -> dict[T, Row]:
    """Return the first row of each identity."""
    found: dict[T, Row] = {}
    for row in rows:
        found.setdefault(identity(row), row)
    return found


def _span_rows(
    connection: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any] | None = None
) -> Iterator[Row]:
    """Yield the rows of a statement in the order of SPAN_COLUMNS."""
    for row in read_table(connection, name, parameters).to_pylist():
        yield tuple(row[column] for column in SPAN_COLUMNS)


def _is_of_same_origin(row: Row, other: Row) -> bool:
    """Return whether both spans are certainly from the same service and scope: others may not replace a span."""
    return row[_SERVICE] is not None and _ORIGIN(row) == _ORIGIN(other)


def _order_versions(rows: Sequence[Row]) -> list[Row]:
    """Return the versions of a span, each once, at most four: the one that counts first.

    One that has ended precedes one that has not, then one with more attributes and events; else a hash decides, so that
    the order of arrival does not.
    """
    distinct = {_CONTENT(row): row for row in rows}
    return sorted(distinct.values(), key=_weigh, reverse=True)[:_MOST_VERSIONS]


def _weigh(row: Row) -> tuple[bool, int, str]:
    parts = len(orjson.loads(row[_ATTRIBUTES])) + len(orjson.loads(row[_EVENTS]))
    return row[_END_NS] > row[_START_NS], parts, hashlib.sha256(repr(_CONTENT(row)).encode()).hexdigest()


def _bounds(instants: Iterable[int]) -> dict[str, int]:
    ordered = sorted(instants)
    return {"earliest_ns": ordered[0], "latest_ns": ordered[-1]}


def _count(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.fetchone()
    return int(row[0]) if row else 0
