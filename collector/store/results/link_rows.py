"""Writes the rows that links change: sessions of runs, outcomes of tool calls, and the tables of links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

import duckdb
import orjson
import pyarrow as pa

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed, registered
from .linked import Answer, Group, Piece

__all__ = ["Linked", "LinkedRun", "rewrite", "times_of"]

_TEXT, _COUNT = pa.string(), pa.int64()
_SCHEMAS: Final = {
    "relinked_runs": pa.schema([("agent_trace_id", _TEXT), ("session_id", _TEXT), ("errors", _COUNT)]),
    "relinked_calls": pa.schema(
        [("agent_trace_id", _TEXT), ("position", _COUNT), ("result", _TEXT), ("error", _TEXT), ("status", _TEXT)]
    ),
    "new_linked_runs": pa.schema(
        [
            ("agent_trace_id", _TEXT),
            ("started_at", pa.timestamp("us")),
            ("group_id", _TEXT),
            ("session_id", _TEXT),
            ("recorded_session_id", _TEXT),
        ]
    ),
    "new_linked_calls": pa.schema(
        [
            ("agent_trace_id", _TEXT),
            ("position", _COUNT),
            ("answered_by", _TEXT),
            ("answered_at", pa.timestamp("us")),
            ("message_position", _COUNT),
            ("part_position", _COUNT),
            ("is_error", pa.bool_()),
        ]
    ),
}
"""The columns of the rows that statements read, by the name under which they are registered."""


@dataclass(frozen=True, slots=True)
class LinkedRun:
    """A run and its group; `session_id` is the one that the group gave it, None if the run recorded one."""

    piece: Piece
    group_id: str
    session_id: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> LinkedRun:
        """Return the run of a row of `linked_runs`."""
        piece = Piece(row["started_at"], row["agent_trace_id"], row["recorded_session_id"])
        return cls(piece, row["group_id"], row["session_id"])

    def row(self) -> dict[str, Any]:
        """Return the row of `linked_runs` for this run."""
        return {
            "agent_trace_id": self.piece.agent_trace_id,
            "started_at": self.piece.started_at,
            "group_id": self.group_id,
            "session_id": self.session_id,
            "recorded_session_id": self.piece.session_id,
        }


@dataclass(frozen=True, slots=True)
class Linked:
    """The links of some runs, by agent_trace_id, and the answers to their tool calls, by run and position."""

    runs: Mapping[str, LinkedRun]
    calls: Mapping[tuple[str, int], Answer]

    @classmethod
    def of(cls, groups: Iterable[Group], answers: Mapping[tuple[str, int], Answer]) -> Linked:
        """Return the links that groups and answers define."""
        runs = {
            piece.agent_trace_id: LinkedRun(piece, group.group_id, None if piece.own_session else group.session_id)
            for group in groups
            for piece in group.pieces
        }
        return cls(runs, answers)

    @property
    def given(self) -> frozenset[tuple[str, str]]:
        """Pairs of a run and the session that a link gave it."""
        return frozenset((key, run.session_id) for key, run in self.runs.items() if run.session_id is not None)


def rewrite(
    connection: duckdb.DuckDBPyConnection,
    pieces: Mapping[str, Piece],
    *,
    before: Linked,
    after: Linked,
    fresh: Collection[str],
) -> dict[str, datetime]:
    """Change the rows of `pieces` in which `after` differs from `before`.

    Return the start of each run of which calls have another outcome now, by agent_trace_id. The rows of `fresh` runs
    were just written without links, or deleted, whatever `before` has.
    """
    applied = Linked(
        {key: run for key, run in before.runs.items() if key not in fresh},
        {place: answer for place, answer in before.calls.items() if place[0] not in fresh},
    )
    answered = _write_calls(connection, pieces, applied.calls, after.calls, fresh)
    _write_runs(connection, pieces, applied, after)
    _remember_runs(connection, before.runs, after.runs)
    _remember_calls(connection, before.calls, after.calls)
    return answered


def times_of(pieces: Iterable[Piece]) -> dict[str, datetime]:
    """Return the earliest and latest start of the runs, so that DuckDB reads no other period."""
    started = [piece.started_at for piece in pieces]
    return {"earliest": min(started), "latest": max(started)}


def _write_runs(
    connection: duckdb.DuckDBPyConnection, pieces: Mapping[str, Piece], applied: Linked, after: Linked
) -> None:
    """Update the rows of `agent_traces` whose session or number of errors differs."""
    failed = _failed(after.calls)
    failed_before = _failed(applied.calls)
    changed = []
    for key, piece in pieces.items():
        session_id = after.runs[key].session_id if key in after.runs else None
        session_before = applied.runs[key].session_id if key in applied.runs else None
        errors = failed.get(key, 0) - failed_before.get(key, 0)
        if session_id != session_before or errors:
            changed.append(
                (
                    piece,
                    {
                        "agent_trace_id": key,
                        "session_id": piece.own_session or session_id or piece.session_id,
                        "errors": errors,
                    },
                )
            )
    if changed:
        times = times_of(piece for piece, _ in changed)
        _execute(connection, "link_agent_traces", "relinked_runs", [row for _, row in changed], **times)


def _failed(calls: Mapping[tuple[str, int], Answer]) -> dict[str, int]:
    """Return the number of calls of each run whose answer is an error."""
    failed: dict[str, int] = {}
    for (key, _), answer in calls.items():
        failed[key] = failed.get(key, 0) + answer.is_error
    return failed


def _write_calls(
    connection: duckdb.DuckDBPyConnection,
    pieces: Mapping[str, Piece],
    applied: Mapping[tuple[str, int], Answer],
    after: Mapping[tuple[str, int], Answer],
    fresh: Collection[str],
) -> dict[str, datetime]:
    """Update the rows of `tool_calls` whose answer differs, or whose answer's run is fresh; return their runs."""
    changed = {
        place: answer for place, answer in after.items() if applied.get(place) != answer or answer.answered_by in fresh
    }
    responses = _responses(connection, pieces, changed.values())
    rows: list[dict[str, Any]] = [
        {"agent_trace_id": key, "position": position} for key, position in applied if (key, position) not in after
    ]
    for (key, position), answer in changed.items():
        response = responses[answer]
        error = (response or "error") if answer.is_error else None
        outcome = {"result": response, "error": error, "status": "error" if answer.is_error else "ok"}
        rows.append({"agent_trace_id": key, "position": position, **outcome})
    _execute(connection, "link_tool_calls", "relinked_calls", rows)
    answered = {row["agent_trace_id"] for row in rows} & pieces.keys()
    if answered:
        times = times_of(pieces[key] for key in answered)
        connection.execute(statement("update_failed_calls"), {"agent_trace_ids": listed(answered), **times})
    return {key: pieces[key].started_at for key in answered}


def _responses(
    connection: duckdb.DuckDBPyConnection, pieces: Mapping[str, Piece], answers: Collection[Answer]
) -> dict[Answer, str]:
    """Return the text of each answer, from the messages of the run that contains it."""
    if not answers:
        return {}
    places = {
        "agent_trace_ids": listed({answer.answered_by for answer in answers}),
        "positions": listed({str(answer.message_position) for answer in answers}),
        "earliest": min(pieces[answer.answered_by].started_at for answer in answers),
    }
    rows = connection.execute(statement("messages_by_position"), places).fetchall()
    parts = {(key, position): orjson.loads(text) for key, position, text in rows}
    return {
        answer: parts[answer.answered_by, answer.message_position][answer.part_position]["response"]
        for answer in answers
    }


def _remember_runs(
    connection: duckdb.DuckDBPyConnection, before: Mapping[str, LinkedRun], after: Mapping[str, LinkedRun]
) -> None:
    """Replace the rows of `linked_runs` that differ."""
    if former := [run.piece for key, run in before.items() if after.get(key) != run]:
        keys = listed(piece.agent_trace_id for piece in former)
        connection.execute(statement("delete_linked_runs"), {"agent_trace_ids": keys, **times_of(former)})
    new = [run.row() for key, run in after.items() if before.get(key) != run]
    _execute(connection, "insert_linked_runs", "new_linked_runs", new)


def _remember_calls(
    connection: duckdb.DuckDBPyConnection,
    before: Mapping[tuple[str, int], Answer],
    after: Mapping[tuple[str, int], Answer],
) -> None:
    """Replace the rows of `linked_calls` of runs in which one differs."""
    changed = {key for key, position in before if after.get((key, position)) != before[key, position]}
    if changed:
        connection.execute(statement("delete_linked_calls"), {"agent_trace_ids": listed(changed)})
    new = [
        {"agent_trace_id": place[0], "position": place[1], **asdict(answer)}
        for place, answer in after.items()
        if place[0] in changed or before.get(place) != answer
    ]
    _execute(connection, "insert_linked_calls", "new_linked_calls", new)


def _execute(
    connection: duckdb.DuckDBPyConnection, name: str, table: str, rows: Sequence[Mapping[str, Any]], **more: Any
) -> None:
    """Execute a statement that reads `rows` as `table`, unless there are none."""
    if rows:
        with registered(connection, table, pa.Table.from_pylist(rows, schema=_SCHEMAS[table])):
            connection.execute(statement(name), more or None)
