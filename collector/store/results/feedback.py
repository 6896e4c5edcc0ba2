"""Keeps feedback, and puts it among the scores on whatever it is about, as far as that is known by now."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ...feedback.model import FEEDBACK, Feedback, Subject
from ...feedback.resolve import ResolvedTarget, SubjectResolver
from ...records.arrow_batch import table
from ..engines.arrow import listed, read_table, registered, schema

__all__ = ["FeedbackBook", "Subjects"]

_NAMED = pa.schema([("trace_id", pa.string()), ("session_id", pa.string())])
_SUBJECT = [field.name for field in fields(Subject)]
_GIVEN = ["score_id", "scored_at", "evaluator", "evaluator_kind", "author"]
_PLACED = [
    *_GIVEN,
    "target_id",
    "scope",
    "agent_trace_id",
    "trace_id",
    "span_id",
    "tool_call_position",
    "session_id",
    "agent_name",
    "target_time",
    "revision",
]

_STAGES: Sequence[Mapping[int, str]] = (
    {0: "runs_of_subjects"},
    {1: "calls_of_subjects", 2: "models_of_subjects"},
    {3: "spans_of_subjects"},
)
"""What `SubjectResolver` is made of, by position, in the order in which it is worth reading."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subjects:
    """Traces and sessions, by their ids."""

    trace_ids: Collection[str] = ()
    session_ids: Collection[str] = ()

    def __bool__(self) -> bool:
        return bool(self.trace_ids or self.session_ids)

    def table(self) -> pa.Table:
        """A row for each."""
        rows = [*({"trace_id": one} for one in self.trace_ids), *({"session_id": one} for one in self.session_ids)]
        return table(rows, _NAMED)


class FeedbackBook:
    """The table `feedback`, which has the word of its senders, and what of it stands in `scores`, as far as they are
    believed: `annotators` are the services that may say who gave a score. Works within a transaction of its caller.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, annotators: Collection[str] = ()) -> None:
        self._annotators = annotators
        self.schema = schema(connection, FEEDBACK)
        self._placed = schema(connection, "scores", _PLACED)

    def keep(self, connection: duckdb.DuckDBPyConnection, arriving: pa.Table) -> Subjects:
        """Keeps what is not kept yet; gives what that is about."""
        if not arriving.num_rows:
            return Subjects()
        with registered(connection, "arriving_feedback", arriving):
            new = connection.execute(statement("subjects_of_new_feedback")).fetchall()
            if new:
                connection.execute(statement("insert_feedback"))
        return _subjects(new)

    def keep_all(self, connection: duckdb.DuckDBPyConnection, given: Sequence[Feedback]) -> Subjects:
        """The same for feedback that did not come by way of the worker."""
        rows = {one.score_id: one.row() for one in given}
        return self.keep(connection, table(rows.values(), self.schema))

    def believe(self, connection: duckdb.DuckDBPyConnection, annotators: Collection[str], *, now: datetime) -> None:
        """Takes the word of these services from now on, also for what is kept; and leaves to evaluators that are new
        the names that others used before."""
        self._annotators = annotators
        others = connection.execute(statement("reattributed_subjects"), self._trusted()).fetchall()
        self.place(connection, _subjects(others), now=now)

    def place(self, connection: duckdb.DuckDBPyConnection, subjects: Subjects, *, now: datetime) -> None:
        """Writes the feedback on `subjects` as scores: on the runs, calls and sessions that there are now."""
        if not subjects:
            return
        with registered(connection, "named_subjects", subjects.table()):
            given = _rows(connection, "feedback_on_subjects", self._trusted())
        if not given:
            return
        named = Subjects({one["trace_id"] for one in given} - {None}, {one["session_id"] for one in given} - {None})
        with registered(connection, "named_subjects", named.table()):
            placed = [*_on_runs(connection, given), *_on_sessions(connection, given)]
        self._write(connection, given, placed, now)

    def find(self, connection: duckdb.DuckDBPyConnection, subjects: Iterable[Subject]) -> list[ResolvedTarget | None]:
        """The place of each subject that is something in a trace."""
        wanted = list(subjects)
        named = Subjects({one.trace_id for one in wanted if one.trace_id is not None})
        with registered(connection, "named_subjects", named.table()):
            return _found(connection, wanted)

    def sessions(self, connection: duckdb.DuckDBPyConnection, session_ids: Collection[str]) -> set[str]:
        """Those of the sessions that there are."""
        with registered(connection, "named_subjects", Subjects(session_ids=session_ids).table()):
            return {row["session_id"] for row in _rows(connection, "sessions_of_subjects")}

    def _trusted(self) -> Mapping[str, str]:
        return {"annotators": listed(self._annotators)}

    def _write(
        self, connection: duckdb.DuckDBPyConnection, given: Sequence[Row], placed: Sequence[Row], now: datetime
    ) -> None:
        """In this order: what has moved, what is there again, what is new, what is nowhere, and what was taken back."""
        known = {one["score_id"] for one in placed}
        lost = table((one for one in given if one["score_id"] not in known), self._placed)
        with registered(connection, "placed_feedback", table(placed, self._placed)):
            connection.execute(statement("move_scores_of_feedback"))
            connection.execute(statement("restore_scores_of_feedback"))
            connection.execute(statement("insert_scores_of_feedback"))
            if lost.num_rows:
                with registered(connection, "lost_feedback", lost):
                    connection.execute(statement("withdraw_scores_of_feedback"), {"now": now})
            connection.execute(statement("supersede_scores_of_feedback"), {"now": now})


def _on_runs(connection: duckdb.DuckDBPyConnection, given: Sequence[Row]) -> list[Row]:
    about = [one for one in given if one["trace_id"] is not None]
    places = _found(connection, [Subject(**{name: one[name] for name in _SUBJECT}) for one in about])
    return [{**_of_place(place), **_identity(one)} for one, place in zip(about, places, strict=True) if place]


def _on_sessions(connection: duckdb.DuckDBPyConnection, given: Sequence[Row]) -> list[Row]:
    about = [one for one in given if one["trace_id"] is None]
    began = {one["session_id"]: one["started_at"] for one in _rows(connection, "sessions_of_subjects")} if about else {}
    return [{**_of_session(one, began), **_identity(one)} for one in about if one["session_id"] in began]


def _found(connection: duckdb.DuckDBPyConnection, subjects: Sequence[Subject]) -> list[ResolvedTarget | None]:
    """The place of each. Most judge a run: what is in it, and how its spans hang together, is read where it is needed.

    `named_subjects` has their traces.
    """
    tables: list[Mapping[str | None, list[Row]]] = [{}, {}, {}, {}]
    found: list[ResolvedTarget | None] = [None] * len(subjects)
    for stage in _STAGES:
        for position, name in stage.items():
            tables[position] = _by_trace(connection, name)
        left = {one.trace_id for one, place in zip(subjects, found, strict=True) if place is None}
        places = {trace: SubjectResolver(*(rows.get(trace, ()) for rows in tables)) for trace in left}
        found = [place or places[one.trace_id].find(one) for one, place in zip(subjects, found, strict=True)]
        if all(found):
            break
    return found


def _by_trace(connection: duckdb.DuckDBPyConnection, name: str) -> dict[str | None, list[Row]]:
    found: dict[str | None, list[Row]] = {}
    for row in _rows(connection, name):
        found.setdefault(row["trace_id"], []).append(row)
    return found


def _rows(connection: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
    found: list[Row] = read_table(connection, name, parameters).to_pylist()
    return found


def _subjects(named: Iterable[tuple[str | None, str | None]]) -> Subjects:
    """Those that rows of trace id and session id name."""
    rows = list(named)
    return Subjects({trace for trace, _ in rows if trace is not None}, {session for _, session in rows if session})


def _identity(one: Row) -> Row:
    return {name: one[name] for name in _GIVEN}


def _of_place(place: ResolvedTarget) -> Row:
    run, call = place.run, place.call
    return {
        "target_id": place.target_id,
        "scope": "trace" if call is None else "tool_call",
        "agent_trace_id": run["agent_trace_id"],
        "trace_id": run["trace_id"],
        "span_id": place.span_id,
        "tool_call_position": None if call is None else call["position"],
        "session_id": run["session_id"],
        "agent_name": run["agent_name"],
        "target_time": call["started_at"] if call and call["started_at"] else run["started_at"],
        "revision": run["revision"],
    }


def _of_session(one: Row, began: Mapping[str, datetime]) -> Row:
    session_id = one["session_id"]
    return {
        "target_id": f"session:{session_id}",
        "scope": "session",
        "session_id": session_id,
        "target_time": began[session_id],
    }
