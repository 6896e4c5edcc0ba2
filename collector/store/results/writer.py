"""The connection that writes results: derived rows, scores, cursors and the outbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ...clock import utc_now
from ...feedback.model import FEEDBACK
from ...records.fingerprint import is_current
from ...records.links import LINK_KEYS
from ...records.row_mapping import DERIVED
from ..engines.arrow import listed, read_table, schema
from ..engines.database import Database
from ..engines.transaction import transaction
from ..errors import StoreInvalidated
from . import (
    definitions,
    executions,
    experiment_marks,
    failures,
    links,
    outcomes,
    rebuilds,
    sessions,
    stored_runs,
    tool_catalog,
)
from .changes import Changes, Row, compare
from .executions import Claims
from .feedback import FeedbackBook, Subjects
from .rebuilds import Portion
from .touched import Touched, find_touched

__all__ = ["Results", "Revised"]

_CALM_REVISIONS = 10
_CALM_FOR = timedelta(minutes=1)
"""From the tenth revision on, a run gets a new one at most once a minute."""


@dataclass(frozen=True, slots=True)
class Revised:
    """The number of revisions that were written, and the traces that stay open.

    `waiting` traces wait for more spans; `postponed` ones were revised often, and are assembled again later.
    """

    written: int = 0
    waiting: frozenset[str] = frozenset()
    postponed: frozenset[str] = frozenset()


class Results:
    """Writes results. Each method is one transaction. For any thread; transactions wait for each other."""

    def __init__(
        self, database: Database, *, annotators: Collection[str] = (), now: Callable[[], datetime] | None = None
    ) -> None:
        self._database = database
        self._now = now or utc_now
        self._lock = threading.Lock()
        with database.cursor() as connection:
            self.schemas: Mapping[str, pa.Schema] = {
                table: schema(connection, table) for table in (*DERIVED, FEEDBACK, LINK_KEYS, "scores")
            }
            self.feedback = FeedbackBook(connection, annotators)
        self._assembled_seq = 0
        self._held: duckdb.DuckDBPyConnection | None = None
        self._open()
        database.before_reopening(self.close)
        definitions.renew(self.transaction)

    def revise(
        self,
        assembled: dict[str, pa.Table],
        trace_ids: Collection[str],
        *,
        final: Collection[str],
        is_last: bool = False,
    ) -> Revised:
        """Store the runs of `trace_ids` that are new or changed, and which of these traces stay open.

        `assembled` has the rows by table, which are removed as they are inserted. Runs that are not complete are stored
        only if their trace is in `final`; no trace is postponed if this `is_last`. Stored runs that do not exist any
        more are deleted, and their scores withdrawn. Feedback becomes a score once its target is stored.
        """
        with self.transaction() as connection:
            assembled, claims, stored = self._compared(connection, assembled, trace_ids)
            changes = compare(
                assembled["agent_traces"],
                stored,
                final=final,
                is_restless=lambda row: not is_last and self._is_restless(row),
            )
            self._write(connection, assembled, trace_ids, stored, changes, claims)
        return Revised(len(changes.revised), waiting=changes.waiting, postponed=changes.postponed)

    def rebuild(self, assembled: dict[str, pa.Table], trace_ids: Collection[str], portion: Portion) -> Changes:
        """Write the rows of all runs of `trace_ids`, which are final, and record that the `portion` is processed.

        `trace_ids` are the traces of the portion that could be assembled. In other respects the same as `revise`.
        """
        with self.transaction() as connection:
            assembled, claims, stored = self._compared(connection, assembled, trace_ids)
            compared = compare(
                assembled["agent_traces"], stored, final=trace_ids, is_restless=self._is_restless, writes_all=True
            )
            changes = self._write(connection, assembled, trace_ids, stored, compared, claims)
            failed = len(portion.settled) - len(trace_ids)
            rebuilds.advance(connection, portion, failed=failed, changes=changes)
        return changes

    def fail(self, failed: Mapping[str, str], *, are_retried: bool) -> Mapping[str, timedelta]:
        """Store traces that could not be assembled, with the cause of each; return the pause before the retry of each.

        They stay open: a restart retries them, too.
        """
        with self.transaction() as connection:
            return failures.keep(connection, failed, now=self._now(), are_retried=are_retried)

    def believe(self, annotators: Collection[str] = ()) -> None:
        """Set the services that are trusted to name the author of a score, and update stored feedback.

        To be called after evaluators are enrolled, since feedback cannot use their names.
        """
        with self.transaction() as connection:
            outcomes.write(connection, self.feedback.believe(connection, annotators, now=self._now()))

    def settle(self, batch_seq: int) -> None:
        """Store that arrivals up to the commit `batch_seq` are assembled, so that a restart continues after it."""
        with self.transaction() as connection:
            connection.execute(statement("settle_assembly"), {"batch_seq": batch_seq})

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Begin a transaction and yield its connection; commit at the end, roll back on an error.

        Waits for other transactions. Raises StoreUnavailable if the store is not open.
        """
        self._database.wait_until_open()
        with self._lock:
            connection = self._held or self._open()
            try:
                with transaction(connection):
                    yield connection
            except duckdb.FatalException as error:
                raise StoreInvalidated from error

    def close(self) -> None:
        """Close the connection, after the running transaction. The next transaction opens another."""
        with self._lock:
            if self._held is not None:
                self._held.close()
            self._held = None

    def _open(self) -> duckdb.DuckDBPyConnection:
        self._held = self._database.connect_writer()
        last = self._held.execute(statement("last_assembled_seq")).fetchall()
        self._assembled_seq = int(last[0][0] or 0) if last else 0
        return self._held

    def _compared(
        self, connection: duckdb.DuckDBPyConnection, assembled: dict[str, pa.Table], trace_ids: Collection[str]
    ) -> tuple[dict[str, pa.Table], Claims, dict[str, Row]]:
        """Return the assembled rows of what is a run, the lone calls that are calls of runs, and the stored runs.

        Among the stored runs are those in other traces that are none any more, since they are calls of these runs.
        """
        stored = self._stored(connection, trace_ids)
        assembled = experiment_marks.accept_marks(connection, assembled, stored)
        claims = executions.claim(connection, assembled, trace_ids)
        elsewhere = claims.trace_ids - {*trace_ids}
        if elsewhere:
            others, lone_ids = self._stored(connection, elsewhere), claims.lone_ids
            stored |= {key: others[key] for key in others.keys() & lone_ids}
        return claims.without_lone(assembled), claims, stored

    def _stored(self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str]) -> dict[str, Row]:
        """Return the stored rows of the runs of some traces, by agent_trace_id, with fingerprints of this version."""
        found = read_table(connection, "stored_runs", {"trace_ids": listed(trace_ids)})
        rows = {row["agent_trace_id"]: row for row in found.to_pylist()}
        if outdated := [key for key, row in rows.items() if not is_current(row["fingerprint"])]:
            for key, fingerprint in stored_runs.fingerprints(connection, outdated).items():
                rows[key] = {**rows[key], "fingerprint": fingerprint, "rows_hash": None}
        return rows

    def _is_restless(self, stored: Row) -> bool:
        """Return whether a stored run has been revised too often, and too recently, for another revision now."""
        # abs: after the clock was set back, a run must not stay unchanged until the clock has caught up.
        return bool(stored["revision"] >= _CALM_REVISIONS and abs(self._now() - stored["assembled_at"]) < _CALM_FOR)

    def _write(
        self,
        connection: duckdb.DuckDBPyConnection,
        assembled: dict[str, pa.Table],
        trace_ids: Collection[str],
        stored: Mapping[str, Row],
        changes: Changes,
        claims: Claims,
    ) -> Changes:
        """Write the changes; return them, `gone` without runs whose agent span is not stored any more."""
        changes = replace(changes, gone=stored_runs.with_stored_span(connection, changes.gone))
        replaced = [run["agent_trace_id"] for run in changes.changed]
        written = [run["agent_trace_id"] for run in [*changes.revised, *changes.stale]]
        before = [stored[key] for key in [*changes.gone, *replaced]]
        offered = tool_catalog.definitions_of(connection, [*changes.gone, *_ids(stored, written)])
        self._withdraw(connection, changes.gone)
        joined = experiment_marks.find_joined(stored, changes)
        experiment_marks.delete_deferrals(connection, [run["agent_trace_id"] for run in joined])
        _note_former_starts(connection, stored, changes)
        stored_runs.delete(connection, _ids(stored, written))
        now_offered = _offered(assembled, changes)
        sessions_of = assembled["agent_traces"].select(["trace_id", "session_id"]).to_pylist()
        if written:
            self._insert(connection, assembled, stored, changes)
        moved = links.relink(connection, assembled[LINK_KEYS], written, before=[*before, *_rows(stored, changes.stale)])
        completed = executions.complete(connection, claims)
        turns_before = _turns([*before, *joined]) | moved.before
        left = {session_id for _, session_id in turns_before - (_turns(changes.revised) | moved.now)}
        tool_catalog.withdraw(connection, offered - now_offered, now=self._now())
        sessions.review(connection, left, now=self._now())
        revised = {run["agent_trace_id"] for run in changes.revised}
        renewed = {session_id for key, session_id in moved.now if key in revised}
        given = {session_id for _, session_id in moved.now - moved.before}
        sessions.review_linked(connection, given - renewed, now=self._now())
        touched = {*changes.touched, *(stored[key]["trace_id"] for key in changes.gone)}
        named = {run["session_id"] for run in sessions_of if run["trace_id"] in touched} - {None}
        subjects = Subjects(trace_ids, {*named, *left, *given})
        affected = find_touched(stored, changes)
        affected.add(moved.answered, moved.answered.values())
        affected |= outcomes.find_waiting(connection, {*named, *left, *given} - {None})
        affected.add(completed, completed.values())
        affected |= self._hear(connection, assembled, subjects)
        outcomes.write(connection, affected)
        self._leave_open(connection, trace_ids, changes.waiting | changes.postponed)
        return changes

    def _hear(
        self, connection: duckdb.DuckDBPyConnection, assembled: Mapping[str, pa.Table], subjects: Subjects
    ) -> Touched:
        """Store the assembled feedback, and write it and all feedback on `subjects` as scores; return their runs.

        `subjects` has all assembled traces: feedback may wait for a span that changes no run.
        """
        new = self.feedback.keep(connection, assembled[FEEDBACK]) if FEEDBACK in assembled else Subjects()
        trace_ids = {*subjects.trace_ids, *new.trace_ids}
        given = Subjects(trace_ids, {*subjects.session_ids, *new.session_ids})
        return self.feedback.place(connection, given, now=self._now())

    def _leave_open(
        self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str], staying: Collection[str]
    ) -> None:
        """Store which of these traces stay open: those in `staying`."""
        connection.execute(statement("delete_waiting_traces"), {"trace_ids": listed(trace_ids)})
        if staying:
            connection.execute(statement("insert_waiting_traces"), {"trace_ids": listed(staying)})

    def _withdraw(self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> None:
        """Delete runs that do not exist any more, except for their last revision, and withdraw the scores on them."""
        if agent_trace_ids:
            gone = {"agent_trace_ids": listed(agent_trace_ids)}
            connection.execute(statement("insert_vanished_runs"), gone)
            connection.execute(statement("delete_gone_targets"), {"target_ids": listed(agent_trace_ids)})
            connection.execute(statement("withdraw_scores_of_runs"), {**gone, "now": self._now()})
            stored_runs.delete(connection, agent_trace_ids)

    def _insert(
        self,
        connection: duckdb.DuckDBPyConnection,
        assembled: dict[str, pa.Table],
        stored: Mapping[str, Row],
        changes: Changes,
    ) -> None:
        """Insert revised runs under their next revision, and stale ones under their present revision."""
        stamps = {run["agent_trace_id"]: stored[run["agent_trace_id"]] for run in changes.stale}
        stored_runs.insert(connection, assembled, {**stamps, **self._next_stamps(connection, stored, changes)})

    def _next_stamps(
        self, connection: duckdb.DuckDBPyConnection, stored: Mapping[str, Row], changes: Changes
    ) -> dict[str, Row]:
        """Return for each revised run its next revision, the time, and its position in the order of assembly."""
        revisions = {key: row["revision"] for key, row in stored.items()}
        if changes.new:
            new = {"agent_trace_ids": listed(run["agent_trace_id"] for run in changes.new)}
            revisions.update(connection.execute(statement("delete_vanished_runs"), new).fetchall())
        stamps: dict[str, Row] = {}
        now = self._now()
        for run in changes.revised:
            self._assembled_seq += 1
            stamps[run["agent_trace_id"]] = {
                "revision": revisions.get(run["agent_trace_id"], 0) + 1,
                "assembled_at": now,
                "assembled_seq": self._assembled_seq,
            }
        return stamps


def _offered(assembled: Mapping[str, pa.Table], changes: Changes) -> set[str]:
    """Return the hashes of the tool definitions in the runs of production that are written."""
    written = [*changes.revised, *changes.stale]
    offering = {run["agent_trace_id"] for run in written if run["experiment_id"] is None}
    rows = assembled["tool_definitions"].select(["agent_trace_id", "definition_hash"]).to_pylist()
    return {row["definition_hash"] for row in rows if row["agent_trace_id"] in offering}


def _turns(runs: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Return the runs that are turns of a session, each with its session."""
    outermost = (run for run in runs if run["parent_agent_trace_id"] is None and run["experiment_id"] is None)
    return {(run["agent_trace_id"], run["session_id"]) for run in outermost if run["session_id"] is not None}


def _note_former_starts(connection: duckdb.DuckDBPyConnection, stored: Mapping[str, Row], changes: Changes) -> None:
    """Store the former start of changed runs whose start has changed, by which the scores on them are found."""
    moved = [
        run["agent_trace_id"]
        for run in changes.changed
        if run["started_at"] != stored[run["agent_trace_id"]]["started_at"]
    ]
    if moved:
        connection.execute(statement("insert_former_starts"), {"agent_trace_ids": listed(moved)})


def _rows(stored: Mapping[str, Row], runs: Iterable[Row]) -> list[Row]:
    """Return the stored rows of some runs."""
    return [stored[run["agent_trace_id"]] for run in runs]


def _ids(stored: Mapping[str, Row], agent_trace_ids: Iterable[str]) -> list[str]:
    """Return which of these ids are stored."""
    return [key for key in agent_trace_ids if key in stored]
