"""The connection that writes what is computed: derived rows, verdicts, cursors and the outbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..batch import keyed
from ..rows import DERIVED
from .arrow import listed, registered, schema
from .database import Database

__all__ = ["Results", "Revised"]

_CALM_REVISIONS = 10
_CALM_FOR = timedelta(minutes=1)
"""After the tenth revision a run is rewritten once a minute at most."""


@dataclass(frozen=True, slots=True)
class Revised:
    """What an assembly changed: how many revisions were written, and the traces whose turn comes later."""

    written: int = 0
    postponed: frozenset[str] = frozenset()


class Results:
    """Writes what is computed. Each method is one transaction; any thread may call, one at a time gets through."""

    def __init__(self, database: Database, *, now: Callable[[], datetime] | None = None) -> None:
        self._connection = database.connect()
        self._now = now or (lambda: datetime.now(UTC).replace(tzinfo=None))
        self._lock = threading.Lock()
        self.schemas: Mapping[str, pa.Schema] = {
            table: schema(self._connection, table) for table in (*DERIVED, "scores")
        }
        self._assembled_seq = int(self._one("last_assembled_seq") or 0)

    def revise(
        self, assembled: Mapping[str, pa.Table], trace_ids: Collection[str], *, final: Collection[str]
    ) -> Revised:
        """Keeps what `assembled` says of `trace_ids` where it is new.

        Runs that are not complete are kept only when their trace is among `final`. Runs that were known and are none
        any more are forgotten, and their verdicts withdrawn.
        """
        with self.transaction() as connection:
            runs = assembled["agent_traces"]
            known = self._known(connection, trace_ids)
            chosen = [run for run in _summaries(runs) if run["completeness"] == "complete" or run["trace_id"] in final]
            changed = [run for run in chosen if _is_new(run, known.get(run["agent_trace_id"]))]
            postponed = {run["trace_id"] for run in changed if self._is_restless(known.get(run["agent_trace_id"]))}
            written = [run["agent_trace_id"] for run in changed if run["trace_id"] not in postponed]
            gone = _gone(known, runs, postponed)
            self._forget(connection, [*(set(known) & set(written)), *gone])
            if gone:
                connection.execute(
                    statement("supersede_scores_of_runs"), {"agent_trace_ids": listed(gone), "now": self._now()}
                )
            if written:
                self._insert(connection, assembled, written, known)
        return Revised(len(written), frozenset(postponed))

    def settle(self, batch_seq: int) -> None:
        """Arrivals up to `batch_seq` are assembled, and a restart need not look at them again."""
        with self.transaction() as connection:
            connection.execute(statement("settle_assembly"), {"batch_seq": batch_seq})

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection, in a transaction of its own."""
        with self._lock:
            self._connection.execute("begin")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("rollback")
                raise
            self._connection.execute("commit")

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _one(self, name: str) -> Any:
        row = self._connection.execute(statement(name)).fetchone()
        return row[0] if row else None

    def _known(self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        found = connection.execute(statement("known_runs"), {"trace_ids": listed(trace_ids)}).to_arrow_table()
        return {run["agent_trace_id"]: run for run in found.to_pylist()}

    def _is_restless(self, known: Mapping[str, Any] | None) -> bool:
        if known is None or known["revision"] < _CALM_REVISIONS:
            return False
        return bool(self._now() - known["assembled_at"] < _CALM_FOR)

    def _forget(self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Sequence[str]) -> None:
        if agent_trace_ids:
            for table in DERIVED:
                connection.execute(statement(f"delete_{table}"), {"agent_trace_ids": listed(agent_trace_ids)})

    def _insert(
        self,
        connection: duckdb.DuckDBPyConnection,
        assembled: Mapping[str, pa.Table],
        agent_trace_ids: Sequence[str],
        known: Mapping[str, Mapping[str, Any]],
    ) -> None:
        tables = {name: keyed(table, "agent_trace_id", agent_trace_ids) for name, table in assembled.items()}
        tables["agent_traces"] = self._stamped(tables["agent_traces"], known)
        with ExitStack() as stack:
            for name, table in tables.items():
                stack.enter_context(registered(connection, f"assembled_{name}", table))
                connection.execute(statement(f"insert_{name}"))
            connection.execute(statement("insert_offered_tools"))

    def _stamped(self, runs: pa.Table, known: Mapping[str, Mapping[str, Any]]) -> pa.Table:
        """Runs with their revision, the time and their place in the order of assembly."""
        ids = runs.column("agent_trace_id").to_pylist()
        first = self._assembled_seq + 1
        self._assembled_seq += len(ids)
        stamps = {
            "revision": [known[run]["revision"] + 1 if run in known else 1 for run in ids],
            "assembled_at": [self._now()] * len(ids),
            "assembled_seq": range(first, first + len(ids)),
        }
        for name, values in stamps.items():
            field = runs.schema.field(name)
            runs = runs.set_column(runs.schema.get_field_index(name), field, pa.array(values, type=field.type))
        return runs


def _summaries(runs: pa.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = runs.select(["agent_trace_id", "trace_id", "completeness", "fingerprint"]).to_pylist()
    return found


def _gone(known: Mapping[str, Mapping[str, Any]], runs: pa.Table, postponed: Collection[str]) -> list[str]:
    """Known runs that are none any more, of the traces whose turn is now."""
    found = set(runs.column("agent_trace_id").to_pylist())
    return [one for one, run in known.items() if one not in found and run["trace_id"] not in postponed]


def _is_new(run: Mapping[str, Any], known: Mapping[str, Any] | None) -> bool:
    return known is None or known["fingerprint"] != run["fingerprint"]
