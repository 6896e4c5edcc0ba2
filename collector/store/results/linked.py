"""Which runs without an agent span belong together, computed from the ids that they ask with and answer.

Pure: the same runs give the same groups, in whatever order they arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

__all__ = ["Answer", "Continuation", "Group", "Piece", "answers_of", "continuations_of", "groups_of"]


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """A run that may be part of a loop that is spread over traces; `session_id` is the one that it recorded."""

    started_at: datetime
    agent_trace_id: str
    session_id: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], side: str = "", *, session: str = "session_id") -> Piece:
        """The run of a row whose columns begin with `side`."""
        if not side:
            return cls(row["started_at"], row["agent_trace_id"], row[session])
        return cls(row[f"{side}_at"], row[f"{side}_id"], row[f"{side}_session_id"])


@dataclass(frozen=True, slots=True, order=True)
class Answer:
    """Where the outcome of a tool call stands: in a message of a later run. The smallest is of the earliest run."""

    answered_at: datetime
    answered_by: str
    message_position: int
    part_position: int
    is_error: bool


@dataclass(frozen=True, slots=True)
class Continuation:
    """A run that continues an earlier one; `call_position` is that of the tool call that `answer` is about."""

    later: Piece
    earlier: Piece
    call_position: int | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that belong together, the earliest first, and the session of those that recorded none."""

    pieces: Sequence[Piece]
    session_id: str | None

    @property
    def group_id(self) -> str:
        return self.pieces[0].agent_trace_id


def continuations_of(rows: Iterable[Mapping[str, Any]]) -> list[Continuation]:
    """The continuations in rows of `continued_runs`. An answer whose keys point to several runs is left out."""
    by_answer: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        place = row["key"] if row["message_position"] is None else None
        by_answer.setdefault((row["later_id"], row["message_position"], row["part_position"], place), []).append(row)
    return [_continuation(same) for same in by_answer.values() if len({row["earlier_id"] for row in same}) == 1]


def _continuation(rows: Sequence[Mapping[str, Any]]) -> Continuation:
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
    """The groups of two or more `pieces` that continue each other. What recorded two sessions stays apart.

    `group_ids` has those that are known to be in one group, by the id of its earliest run.
    """
    above = {piece.agent_trace_id: piece.agent_trace_id for piece in pieces}

    def root(key: str) -> str:
        while above[key] != key:
            above[key] = above[above[key]]
            key = above[key]
        return key

    for key, group_id in (group_ids or {}).items():
        above[root(key)] = root(group_id)
    for each in continuations:
        sessions = {each.later.session_id, each.earlier.session_id} - {None}
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
    """The answer to each tool call, by run and position: that of the earliest run that brings one, or is `known` to."""
    answers = dict(known or {})
    for each in continuations:
        if each.answer is not None and each.call_position is not None:
            place = each.earlier.agent_trace_id, each.call_position
            answers[place] = min(each.answer, answers.get(place, each.answer))
    return answers


def _session_of(group: Sequence[Piece]) -> str | None:
    """The session that some recorded, else one that is named after the earliest run; None where several are named."""
    recorded = {piece.session_id for piece in group} - {None}
    if len(recorded) > 1:
        return None
    return recorded.pop() if recorded else f"linked:{group[0].agent_trace_id}"
