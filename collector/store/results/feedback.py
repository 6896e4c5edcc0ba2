"""Stores feedback, and writes it as scores once its target is stored."""

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
from .outcomes import find_scored_by_people
from .touched import Touched

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
"""The statements that read the arguments of `SubjectResolver`, by position, in stages: most need the first alone."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Subjects:
    """The ids of traces and sessions that feedback names."""

    trace_ids: Collection[str] = ()
    session_ids: Collection[str] = ()

    def __bool__(self) -> bool:
        return bool(self.trace_ids or self.session_ids)

    def table(self) -> pa.Table:
        """Return a row for each trace and each session."""
        rows = [*({"trace_id": one} for one in self.trace_ids), *({"session_id": one} for one in self.session_ids)]
        return table(rows, _NAMED)


class FeedbackBook:
    """Writes the table `feedback`, which has scores as they arrived, and their rows in `scores`.

    `annotators` are the services that are trusted to name the author of a score. All methods run in a transaction of
    the caller.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, annotators: Collection[str] = ()) -> None:
        self._annotators = annotators
        self.schema = schema(connection, FEEDBACK)
        self._placed = schema(connection, "scores", _PLACED)

    def keep(self, connection: duckdb.DuckDBPyConnection, arriving: pa.Table) -> Subjects:
        """Insert the feedback that is not stored yet; return its subjects."""
        if not arriving.num_rows:
            return Subjects()
        with registered(connection, "arriving_feedback", arriving):
            new = connection.execute(statement("subjects_of_new_feedback")).fetchall()
            if new:
                connection.execute(statement("insert_feedback"))
        return _subjects(new)

    def keep_all(self, connection: duckdb.DuckDBPyConnection, given: Sequence[Feedback]) -> Subjects:
        """Do the same for feedback that the worker did not extract."""
        rows = {one.score_id: one.row() for one in given}
        return self.keep(connection, table(rows.values(), self.schema))

    def believe(self, connection: duckdb.DuckDBPyConnection, annotators: Collection[str], *, now: datetime) -> Touched:
        """Set the trusted services, and attribute stored feedback again by them and by the names of evaluators.

        Return the runs whose scores have changed.
        """
        self._annotators = annotators
        others = connection.execute(statement("reattributed_subjects"), self._trusted()).fetchall()
        return self.place(connection, _subjects(others), now=now)

    def place(self, connection: duckdb.DuckDBPyConnection, subjects: Subjects, *, now: datetime) -> Touched:
        """Write the feedback on `subjects` as scores on the runs, calls and sessions that are stored now.

        Return the runs on which scores of people may have changed.
        """
        if not subjects:
            return Touched()
        with registered(connection, "named_subjects", subjects.table()):
            given = _rows(connection, "feedback_on_subjects", self._trusted())
        if not given:
            return Touched()
        traces = _find_traces_of_responses(connection, given)
        trace_ids = {one["trace_id"] for one in given} | {*traces.values()}
        named = Subjects(trace_ids - {None}, {one["session_id"] for one in given} - {None})
        with registered(connection, "named_subjects", named.table()):
            placed = [*_on_runs(connection, given, traces), *_on_sessions(connection, given)]
        times = [row["scored_at"] for row in given]
        touched = find_scored_by_people(
            connection, [row["score_id"] for row in given], earliest=min(times), latest=max(times)
        )
        self._write(connection, given, placed, now)
        for row in placed:
            if row["evaluator_kind"] == "human":
                touched.add((row.get("agent_trace_id"),), (row["target_time"],))
        return touched

    def find(self, connection: duckdb.DuckDBPyConnection, subjects: Iterable[Subject]) -> list[ResolvedTarget | None]:
        """Return the target of each subject in order, all of them in traces; None if it is not stored."""
        wanted = list(subjects)
        named = Subjects({one.trace_id for one in wanted if one.trace_id is not None})
        with registered(connection, "named_subjects", named.table()):
            return _found(connection, wanted)

    def sessions(self, connection: duckdb.DuckDBPyConnection, session_ids: Collection[str]) -> set[str]:
        """Return which of these sessions are stored."""
        with registered(connection, "named_subjects", Subjects(session_ids=session_ids).table()):
            return {row["session_id"] for row in _rows(connection, "sessions_of_subjects")}

    def _trusted(self) -> Mapping[str, str]:
        return {"annotators": listed(self._annotators)}

    def _write(
        self, connection: duckdb.DuckDBPyConnection, given: Sequence[Row], placed: Sequence[Row], now: datetime
    ) -> None:
        """Move scores to their present targets, restore, insert and withdraw them; then supersede earlier ones."""
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


def _find_traces_of_responses(connection: duckdb.DuckDBPyConnection, given: Sequence[Row]) -> dict[str, str]:
    """Return the trace of each response that feedback names, by response id."""
    about = [one for one in given if one["response_id"] is not None]
    if not about:
        return {}
    times = [one["scored_at"] for one in about]
    wanted = {
        "response_ids": listed({one["response_id"] for one in about}),
        "earliest": min(times),
        "latest": max(times),
    }
    return {row["response_id"]: row["trace_id"] for row in _rows(connection, "traces_of_responses", wanted)}


def _on_runs(connection: duckdb.DuckDBPyConnection, given: Sequence[Row], traces: Mapping[str, str]) -> list[Row]:
    """Return the scores for feedback on runs and calls that are stored.

    Feedback on nothing in its own trace is on the response that it names, in one of the `traces`.
    """
    about = [one for one in given if one["trace_id"] is not None]
    subjects = [Subject(**{name: one[name] for name in _SUBJECT}) for one in about]
    places = _found(connection, subjects)
    elsewhere = [
        Subject(trace_id=traces[one.response_id], response_id=one.response_id)
        if place is None and one.response_id is not None and one.response_id in traces
        else None
        for one, place in zip(subjects, places, strict=True)
    ]
    found = iter(_found(connection, [one for one in elsewhere if one is not None]))
    places = [place if other is None else next(found) for place, other in zip(places, elsewhere, strict=True)]
    return [{**_of_place(place), **_identity(one)} for one, place in zip(about, places, strict=True) if place]


def _on_sessions(connection: duckdb.DuckDBPyConnection, given: Sequence[Row]) -> list[Row]:
    """Return the scores for feedback on sessions that are stored."""
    about = [one for one in given if one["trace_id"] is None]
    began = {one["session_id"]: one["started_at"] for one in _rows(connection, "sessions_of_subjects")} if about else {}
    return [{**_of_session(one, began), **_identity(one)} for one in about if one["session_id"] in began]


def _found(connection: duckdb.DuckDBPyConnection, subjects: Sequence[Subject]) -> list[ResolvedTarget | None]:
    """Return the target of each subject in order; None if it is not stored.

    Most are runs: calls and spans are read only if subjects are left. The caller has registered their traces as
    `named_subjects`.
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
    """Return the subjects in rows of trace id and session id."""
    rows = list(named)
    return Subjects({trace for trace, _ in rows if trace is not None}, {session for _, session in rows if session})


def _identity(one: Row) -> Row:
    """Return the columns that a score has from its sender."""
    return {name: one[name] for name in _GIVEN}


def _of_place(place: ResolvedTarget) -> Row:
    """Return the columns of `scores` that identify a run or a call."""
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
    """Return the columns of `scores` that identify the session of a row of feedback."""
    session_id = one["session_id"]
    return {
        "target_id": f"session:{session_id}",
        "scope": "session",
        "session_id": session_id,
        "target_time": began[session_id],
    }
