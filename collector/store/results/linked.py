"""Groups runs that belong together, by the ids that one asks with and another answers.

Pure: the same runs give the same groups, in whatever order they arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ...spans.values import own_session

__all__ = ["Answer", "Continuation", "Group", "Piece", "answers_of", "continuations_of", "groups_of"]


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """A run that may be part of an agent loop over several traces; `session_id` is the one that it recorded."""

    started_at: datetime
    agent_trace_id: str
    session_id: str | None = None

    @property
    def own_session(self) -> str | None:
        """The recorded session; None if that is only the id of the response before."""
        return own_session(self.session_id)

    @classmethod
    def of(cls, row: Mapping[str, Any], side: str = "", *, session: str = "session_id") -> Piece:
        """Return the run of a row; its columns begin with `side`, or have their usual names if that is empty."""
        if not side:
            return cls(row["started_at"], row["agent_trace_id"], row[session])
        return cls(row[f"{side}_at"], row[f"{side}_id"], row[f"{side}_session_id"])


@dataclass(frozen=True, slots=True, order=True)
class Answer:
    """The position of the outcome of a tool call in a message of a later run. Ordered by the start of that run."""

    answered_at: datetime
    answered_by: str
    message_position: int
    part_position: int
    is_error: bool


@dataclass(frozen=True, slots=True)
class Continuation:
    """A run that continues an earlier one; `answer` is that to the earlier run's tool call at `call_position`."""

    later: Piece
    earlier: Piece
    call_position: int | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that belong together, earliest first, and the session for those that recorded none (None: no session)."""

    pieces: Sequence[Piece]
    session_id: str | None

    @property
    def group_id(self) -> str:
        """The id of the earliest run."""
        return self.pieces[0].agent_trace_id


def continuations_of(rows: Iterable[Mapping[str, Any]]) -> list[Continuation]:
    """Return the continuations in rows of `continued_runs`. An answer whose keys fit several runs is left out."""
    by_answer: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        place = row["key"] if row["message_position"] is None else None
        by_answer.setdefault((row["later_id"], row["message_position"], row["part_position"], place), []).append(row)
    return [_continuation(same) for same in by_answer.values() if len({row["earlier_id"] for row in same}) == 1]


def _continuation(rows: Sequence[Mapping[str, Any]]) -> Continuation:
    """Return the continuation in the rows of one answer, or of one key that is in no message."""
    row = next((row for row in rows if row["is_open"]), rows[0])
    later, earlier = Piece.of(row, "later"), Piece.of(row, "earlier")
    if not row["is_open"] or row["message_position"] is None:
        return Continuation(later, earlier)
    answer = Answer(
        later.started_at, later.agent_trace_id, row["message_position"], row["part_position"], row["is_error"]
    )
    return Continuation(later, earlier, row["call_position"], answer)


def groups_of(
    pieces: Iterable[Piece], continuations: Iterable[Continuation], group_ids: Mapping[str, str] | None = None
) -> list[Group]:
    """Return the groups of two or more `pieces` that continue each other, if they did not record different sessions.

    `group_ids` has by agent_trace_id the groups that are known already, each as the id of its earliest run.
    """
    above = {piece.agent_trace_id: piece.agent_trace_id for piece in pieces}

    def root(key: str) -> str:
        """Return the run that represents the group of a run so far."""
        while above[key] != key:
            above[key] = above[above[key]]
            key = above[key]
        return key

    for key, group_id in (group_ids or {}).items():
        above[root(key)] = root(group_id)
    for each in continuations:
        sessions = {each.later.own_session, each.earlier.own_session} - {None}
        ids = each.later.agent_trace_id, each.earlier.agent_trace_id
        if len(sessions) < 2 and all(key in above for key in ids):
            above[root(ids[0])] = root(ids[1])
    members: dict[str, list[Piece]] = {}
    for piece in sorted(set(pieces)):
        members.setdefault(root(piece.agent_trace_id), []).append(piece)
    return [Group(tuple(group), _session_of(group)) for group in members.values() if len(group) > 1]


def answers_of(
    continuations: Iterable[Continuation], known: Mapping[tuple[str, int], Answer] | None = None
) -> dict[tuple[str, int], Answer]:
    """Return the answers to tool calls by run and position: the earliest one of these and of those `known` before."""
    answers = dict(known or {})
    for each in continuations:
        if each.answer is not None and each.call_position is not None:
            place = each.earlier.agent_trace_id, each.call_position
            answers[place] = min(each.answer, answers.get(place, each.answer))
    return answers


def _session_of(group: Sequence[Piece]) -> str | None:
    """Return the session that runs recorded, else one named after the earliest run; None if several are recorded."""
    recorded = {piece.own_session for piece in group} - {None}
    if len(recorded) > 1:
        return None
    return recorded.pop() if recorded else f"linked:{group[0].agent_trace_id}"
