"""The connection that writes what is computed: derived rows, verdicts, cursors and the outbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..batch import keyed
from ..clock import utc_now
from ..feedback import FEEDBACK
from ..rows import DERIVED
from . import offers, sessions
from .arrow import listed, registered, schema
from .database import Database
from .feedback import FeedbackBook, Subjects

__all__ = ["Results", "Revised"]

_CALM_REVISIONS = 10
_CALM_FOR = timedelta(minutes=1)
"""After the tenth revision a run is rewritten once a minute at most."""

_OF_RUN = ["agent_trace_id", "trace_id", "session_id", "parent_agent_trace_id", "completeness", "fingerprint"]


@dataclass(frozen=True, slots=True)
class Revised:
    """What an assembly changed: how many revisions were written, and which traces stay open: those that wait for more
    to arrive, and those whose turn comes later."""

    written: int = 0
    waiting: frozenset[str] = frozenset()
    postponed: frozenset[str] = frozenset()


class Results:
    """Writes what is computed. Each method is one transaction; any thread may call, one at a time gets through."""

    def __init__(self, database: Database, *, now: Callable[[], datetime] | None = None) -> None:
        self._connection = database.connect()
        self._now = now or utc_now
        self._lock = threading.Lock()
        self.schemas: Mapping[str, pa.Schema] = {
            table: schema(self._connection, table) for table in (*DERIVED, FEEDBACK, "scores")
        }
        self.feedback = FeedbackBook(self._connection)
        self._assembled_seq = int(self._one("last_assembled_seq") or 0)

    def revise(
        self,
        assembled: Mapping[str, pa.Table],
        trace_ids: Collection[str],
        *,
        final: Collection[str],
        is_last: bool = False,
    ) -> Revised:
        """Keeps what `assembled` says of `trace_ids` where it is new, and remembers which of them stay open.

        Runs that are not complete are kept only when their trace is among `final`; none is put off when this `is_last`.
        Runs that were known and are none any more are forgotten, and their verdicts withdrawn. Feedback becomes a
        verdict as soon as there is what it is about.
        """
        with self.transaction() as connection:
            runs = assembled["agent_traces"]
            known = self._known(connection, trace_ids)
            chosen, waiting = _ready(runs, final)
            changed = [run for run in chosen if _is_new(run, known.get(run["agent_trace_id"]))]
            restless = [run for run in changed if not is_last and self._is_restless(known.get(run["agent_trace_id"]))]
            postponed = {run["trace_id"] for run in restless}
            due = [run for run in changed if run["trace_id"] not in postponed]
            written = [run["agent_trace_id"] for run in due]
            gone, replaced = _gone(known, runs, postponed), set(known) & set(written)
            left = {session_id for _, session_id in _turns(known[one] for one in {*gone, *replaced}) - _turns(due)}
            offered = offers.definitions_of(connection, {*gone, *replaced})
            self._withdraw(connection, gone)
            self._forget(connection, replaced)
            if written:
                self._insert(connection, assembled, written, known)
            offers.withdraw(connection, offered - _offered(assembled, set(written)), now=self._now())
            sessions.review(connection, left, now=self._now())
            self._hear(connection, assembled, {*map(_trace, changed), *(_trace(known[one]) for one in gone)}, left)
            self._leave_open(connection, trace_ids, waiting | postponed)
        return Revised(len(written), waiting=frozenset(waiting), postponed=frozenset(postponed))

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
        # A clock that was set back must not keep a run from being rewritten until it has caught up.
        return bool(abs(self._now() - known["assembled_at"]) < _CALM_FOR)

    def _hear(
        self,
        connection: duckdb.DuckDBPyConnection,
        assembled: Mapping[str, pa.Table],
        trace_ids: Collection[str],
        left: Collection[str],
    ) -> None:
        """Keeps the feedback that came, and finds the place of it and of all that is about `trace_ids`, the sessions in
        them, or those that were `left`."""
        new = self.feedback.keep(connection, assembled[FEEDBACK]) if FEEDBACK in assembled else Subjects()
        runs = assembled["agent_traces"].select(["trace_id", "session_id"]).to_pylist()
        session_ids = {run["session_id"] for run in runs if run["trace_id"] in trace_ids} - {None}
        subjects = Subjects({*trace_ids, *new.trace_ids}, {*session_ids, *left, *new.session_ids})
        self.feedback.place(connection, subjects, now=self._now())

    def _leave_open(
        self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str], staying: Collection[str]
    ) -> None:
        connection.execute(statement("delete_waiting_traces"), {"trace_ids": listed(trace_ids)})
        if staying:
            connection.execute(statement("insert_waiting_traces"), {"trace_ids": listed(staying)})

    def _withdraw(self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> None:
        """Forgets runs that are none, but for their last revision, and withdraws the verdicts on them."""
        if agent_trace_ids:
            gone = {"agent_trace_ids": listed(agent_trace_ids)}
            connection.execute(statement("insert_vanished_runs"), gone)
            connection.execute(statement("delete_due_later_of_targets"), {"target_ids": listed(agent_trace_ids)})
            connection.execute(statement("supersede_scores_of_runs"), {**gone, "now": self._now()})
            self._forget(connection, agent_trace_ids)

    def _forget(self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> None:
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
        tables = {name: keyed(assembled[name], "agent_trace_id", agent_trace_ids) for name in DERIVED}
        revisions = {run: row["revision"] for run, row in known.items()}
        if new := set(agent_trace_ids) - set(known):
            vanished = connection.execute(statement("delete_vanished_runs"), {"agent_trace_ids": listed(new)})
            revisions.update(vanished.fetchall())
        tables["agent_traces"] = self._stamped(tables["agent_traces"], revisions)
        with ExitStack() as stack:
            for name, table in tables.items():
                stack.enter_context(registered(connection, f"assembled_{name}", table))
                connection.execute(statement(f"insert_{name}"))
            connection.execute(statement("insert_offered_tools"))

    def _stamped(self, runs: pa.Table, revisions: Mapping[str, int]) -> pa.Table:
        """Runs with the revision after their last one, the time and their place in the order of assembly."""
        ids = runs.column("agent_trace_id").to_pylist()
        first = self._assembled_seq + 1
        self._assembled_seq += len(ids)
        stamps = {
            "revision": [revisions.get(run, 0) + 1 for run in ids],
            "assembled_at": [self._now()] * len(ids),
            "assembled_seq": range(first, first + len(ids)),
        }
        for name, values in stamps.items():
            field = runs.schema.field(name)
            runs = runs.set_column(runs.schema.get_field_index(name), field, pa.array(values, type=field.type))
        return runs


def _ready(runs: pa.Table, final: Collection[str]) -> tuple[list[dict[str, Any]], set[str]]:
    """The runs that count now, and the traces of those that wait."""
    ready: list[dict[str, Any]] = []
    waiting: set[str] = set()
    for run in runs.select(_OF_RUN).to_pylist():
        if run["completeness"] == "complete" or run["trace_id"] in final:
            ready.append(run)
        else:
            waiting.add(run["trace_id"])
    return ready, waiting


def _offered(assembled: Mapping[str, pa.Table], agent_trace_ids: Collection[str]) -> set[str]:
    """The hashes of the tool definitions in some of the assembled runs."""
    rows = assembled["tool_definitions"].select(["agent_trace_id", "definition_hash"]).to_pylist()
    return {row["definition_hash"] for row in rows if row["agent_trace_id"] in agent_trace_ids}


def _turns(runs: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Those of `runs` that are turns of a session, each with its session."""
    outermost = (run for run in runs if run["parent_agent_trace_id"] is None)
    return {(run["agent_trace_id"], run["session_id"]) for run in outermost if run["session_id"] is not None}


def _trace(run: Mapping[str, Any]) -> str:
    trace_id: str = run["trace_id"]
    return trace_id


def _gone(known: Mapping[str, Mapping[str, Any]], runs: pa.Table, postponed: Collection[str]) -> list[str]:
    """Known runs that are none any more, of the traces whose turn is now."""
    found = set(runs.column("agent_trace_id").to_pylist())
    return [one for one, run in known.items() if one not in found and run["trace_id"] not in postponed]


def _is_new(run: Mapping[str, Any], known: Mapping[str, Any] | None) -> bool:
    return known is None or known["fingerprint"] != run["fingerprint"]
