"""The connection that writes what is computed: derived rows, scores, cursors and the outbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
from ..errors import StoreGivenUp
from . import failures, links, rebuilds, sessions, stored_runs, tool_catalog
from .changes import Changes, Row, compare
from .feedback import FeedbackBook, Subjects
from .rebuilds import Portion

__all__ = ["Results", "Revised"]

_CALM_REVISIONS = 10
_CALM_FOR = timedelta(minutes=1)
"""After the tenth revision a run is rewritten once a minute at most."""


@dataclass(frozen=True, slots=True)
class Revised:
    """What an assembly changed: how many revisions were written, and which traces stay open: those that wait for more
    to arrive, and those whose turn comes later."""

    written: int = 0
    waiting: frozenset[str] = frozenset()
    postponed: frozenset[str] = frozenset()


class Results:
    """Writes what is computed. Each method is one transaction; any thread may call, one at a time gets through."""

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
        Runs that were known and are none any more are forgotten, and their scores withdrawn. Feedback becomes a
        score as soon as there is what it is about.
        """
        with self.transaction() as connection:
            stored = self._stored(connection, trace_ids)
            changes = compare(
                assembled["agent_traces"],
                stored,
                final=final,
                is_restless=lambda row: not is_last and self._is_restless(row),
            )
            self._write(connection, assembled, trace_ids, stored, changes)
        return Revised(len(changes.revised), waiting=changes.waiting, postponed=changes.postponed)

    def rebuild(self, assembled: Mapping[str, pa.Table], trace_ids: Collection[str], portion: Portion) -> Changes:
        """As `revise`, of traces that were assembled before and are final: the rows of all their runs are written.

        They are those of a rebuild's `portion` that could be assembled, which has had its turn then.
        """
        with self.transaction() as connection:
            stored = self._stored(connection, trace_ids)
            compared = compare(
                assembled["agent_traces"], stored, final=trace_ids, is_restless=self._is_restless, writes_all=True
            )
            changes = self._write(connection, assembled, trace_ids, stored, compared)
            failed = len(portion.settled) - len(trace_ids)
            rebuilds.advance(connection, portion, failed=failed, changes=changes)
        return changes

    def fail(self, failed: Mapping[str, str], *, are_retried: bool) -> Mapping[str, timedelta]:
        """Remembers that these traces could not be assembled, and why; gives for how long each is left alone then.

        They stay open: a restart takes them up, too.
        """
        with self.transaction() as connection:
            return failures.keep(connection, failed, now=self._now(), are_retried=are_retried)

    def believe(self, annotators: Collection[str] = ()) -> None:
        """Takes the word of these services on who gave a score, also for what is kept; goes after evaluators are
        enrolled, whose names are theirs alone."""
        with self.transaction() as connection:
            self.feedback.believe(connection, annotators, now=self._now())

    def settle(self, batch_seq: int) -> None:
        """Arrivals up to `batch_seq` are assembled, and a restart need not look at them again."""
        with self.transaction() as connection:
            connection.execute(statement("settle_assembly"), {"batch_seq": batch_seq})

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection, in a transaction of its own. Raises StoreUnavailable where there is none to be had."""
        self._database.wait_until_open()
        with self._lock:
            connection = self._held or self._open()
            try:
                with _transaction(connection):
                    yield connection
            except duckdb.FatalException as error:
                raise StoreGivenUp from error

    def close(self) -> None:
        """Waits for the transaction that is under way. The next one opens a connection again."""
        with self._lock:
            if self._held is not None:
                self._held.close()
            self._held = None

    def _open(self) -> duckdb.DuckDBPyConnection:
        self._held = self._database.connect_writer()
        last = self._held.execute(statement("last_assembled_seq")).fetchall()
        self._assembled_seq = int(last[0][0] or 0) if last else 0
        return self._held

    def _stored(self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str]) -> dict[str, Row]:
        """What is kept of the runs of some traces, with a fingerprint that can be compared."""
        found = read_table(connection, "stored_runs", {"trace_ids": listed(trace_ids)})
        rows = {row["agent_trace_id"]: row for row in found.to_pylist()}
        if outdated := [key for key, row in rows.items() if not is_current(row["fingerprint"])]:
            for key, fingerprint in stored_runs.fingerprints(connection, outdated).items():
                rows[key] = {**rows[key], "fingerprint": fingerprint, "rows_hash": None}
        return rows

    def _is_restless(self, stored: Row) -> bool:
        # A clock that was set back must not keep a run from being rewritten until it has caught up.
        return bool(stored["revision"] >= _CALM_REVISIONS and abs(self._now() - stored["assembled_at"]) < _CALM_FOR)

    def _write(
        self,
        connection: duckdb.DuckDBPyConnection,
        assembled: Mapping[str, pa.Table],
        trace_ids: Collection[str],
        stored: Mapping[str, Row],
        changes: Changes,
    ) -> Changes:
        """Writes what changed; gives it without the runs that are kept though they were not assembled again."""
        changes = replace(changes, gone=stored_runs.with_stored_span(connection, changes.gone))
        replaced = [run["agent_trace_id"] for run in changes.changed]
        written = [run["agent_trace_id"] for run in [*changes.revised, *changes.stale]]
        before = [stored[key] for key in [*changes.gone, *replaced]]
        offered = tool_catalog.definitions_of(connection, [*changes.gone, *_ids(stored, written)])
        self._withdraw(connection, changes.gone)
        _note_former_starts(connection, stored, changes)
        stored_runs.delete(connection, _ids(stored, written))
        if written:
            self._insert(connection, assembled, stored, changes)
        moved = links.relink(connection, assembled[LINK_KEYS], written, before=[*before, *_rows(stored, changes.stale)])
        left = {session_id for _, session_id in (_turns(before) | moved.before) - (_turns(changes.revised) | moved.now)}
        tool_catalog.withdraw(connection, offered - _offered(assembled, set(written)), now=self._now())
        sessions.review(connection, left, now=self._now())
        revised = {run["agent_trace_id"] for run in changes.revised}
        renewed = {session_id for key, session_id in moved.now if key in revised}
        given = {session_id for _, session_id in moved.now - moved.before}
        sessions.review_linked(connection, given - renewed, now=self._now())
        touched = {*changes.touched, *(stored[key]["trace_id"] for key in changes.gone)}
        sessions_of = assembled["agent_traces"].select(["trace_id", "session_id"]).to_pylist()
        named = {run["session_id"] for run in sessions_of if run["trace_id"] in touched} - {None}
        self._hear(connection, assembled, Subjects(trace_ids, {*named, *left, *given}))
        self._leave_open(connection, trace_ids, changes.waiting | changes.postponed)
        return changes

    def _hear(
        self, connection: duckdb.DuckDBPyConnection, assembled: Mapping[str, pa.Table], subjects: Subjects
    ) -> None:
        """Keeps the feedback that came, and finds the place of it and of all that is about `subjects`.

        Those are all traces that were assembled: a span that changes no run may be the one that feedback waits for.
        """
        new = self.feedback.keep(connection, assembled[FEEDBACK]) if FEEDBACK in assembled else Subjects()
        trace_ids = {*subjects.trace_ids, *new.trace_ids}
        self.feedback.place(connection, Subjects(trace_ids, {*subjects.session_ids, *new.session_ids}), now=self._now())

    def _leave_open(
        self, connection: duckdb.DuckDBPyConnection, trace_ids: Collection[str], staying: Collection[str]
    ) -> None:
        connection.execute(statement("delete_waiting_traces"), {"trace_ids": listed(trace_ids)})
        if staying:
            connection.execute(statement("insert_waiting_traces"), {"trace_ids": listed(staying)})

    def _withdraw(self, connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> None:
        """Forgets runs that are none, but for their last revision, and withdraws the scores on them."""
        if agent_trace_ids:
            gone = {"agent_trace_ids": listed(agent_trace_ids)}
            connection.execute(statement("insert_vanished_runs"), gone)
            connection.execute(statement("delete_gone_targets"), {"target_ids": listed(agent_trace_ids)})
            connection.execute(statement("withdraw_scores_of_runs"), {**gone, "now": self._now()})
            stored_runs.delete(connection, agent_trace_ids)

    def _insert(
        self,
        connection: duckdb.DuckDBPyConnection,
        assembled: Mapping[str, pa.Table],
        stored: Mapping[str, Row],
        changes: Changes,
    ) -> None:
        """Writes revised runs under their next revision, and stale ones under the revision that they have."""
        stamps = {run["agent_trace_id"]: stored[run["agent_trace_id"]] for run in changes.stale}
        stored_runs.insert(connection, assembled, {**stamps, **self._next_stamps(connection, stored, changes)})

    def _next_stamps(
        self, connection: duckdb.DuckDBPyConnection, stored: Mapping[str, Row], changes: Changes
    ) -> dict[str, Row]:
        """For each run that is revised the revision after its last one, the time and its place in the order of
        assembly."""
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


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    connection.execute("begin")
    try:
        yield
    except BaseException:
        with suppress(duckdb.Error):  # the failed statement may have ended the transaction, or all of them
            connection.execute("rollback")
        raise
    connection.execute("commit")


def _offered(assembled: Mapping[str, pa.Table], agent_trace_ids: Collection[str]) -> set[str]:
    """The hashes of the tool definitions in some of the assembled runs."""
    rows = assembled["tool_definitions"].select(["agent_trace_id", "definition_hash"]).to_pylist()
    return {row["definition_hash"] for row in rows if row["agent_trace_id"] in agent_trace_ids}


def _turns(runs: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """Those of `runs` that are turns of a session, each with its session."""
    outermost = (run for run in runs if run["parent_agent_trace_id"] is None)
    return {(run["agent_trace_id"], run["session_id"]) for run in outermost if run["session_id"] is not None}


def _note_former_starts(connection: duckdb.DuckDBPyConnection, stored: Mapping[str, Row], changes: Changes) -> None:
    """Remembers when those changed runs began by what is stored of them that begin at another time now.

    Scores on their earlier revisions are found by that.
    """
    moved = [
        run["agent_trace_id"]
        for run in changes.changed
        if run["started_at"] != stored[run["agent_trace_id"]]["started_at"]
    ]
    if moved:
        connection.execute(statement("insert_former_starts"), {"agent_trace_ids": listed(moved)})


def _rows(stored: Mapping[str, Row], runs: Iterable[Row]) -> list[Row]:
    """What is stored of some runs."""
    return [stored[run["agent_trace_id"]] for run in runs]


def _ids(stored: Mapping[str, Row], agent_trace_ids: Iterable[str]) -> list[str]:
    """Those of the ids that are stored."""
    return [key for key in agent_trace_ids if key in stored]
