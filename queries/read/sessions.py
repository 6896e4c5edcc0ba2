"""Reads sessions, whole or in lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ..answers.run import Run
from ..answers.score import Score
from ..answers.session import Session, SessionDetail
from ..catalog import report
from .run_keys import RunKey, RunList
from .runs import MOST_CHARACTERS, read_runs
from .source import Read, Sources, rows_of

__all__ = [
    "MOST_TURNS",
    "SessionKey",
    "SessionRows",
    "UnknownSession",
    "read_session",
    "read_session_page",
    "read_turns",
]

MOST_TURNS: Final = 500
"""The most turns that a session is read with."""

_MOST_SCORES: Final = 2_000


class UnknownSession(LookupError):
    """No run has this session id; the message says so."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """A session in a list: the start of its last selected turn, its id and service ("" for none)."""

    started_at: datetime
    session_id: str
    service_name: str


@dataclass(frozen=True, slots=True)
class SessionRows:
    """Sessions, and the key of the last one if more follow."""

    sessions: list[Session]
    last: SessionKey | None


def read_session_page(runs: RunList, sources: Sources, *, after: SessionKey | None = None, limit: int) -> SessionRows:
    """Return the first `limit` sessions with runs of a list, or those that come after one."""
    keys = _read_keys(runs, sources, after or SessionKey(runs.window.until, "", ""), limit + 1)
    shown = keys[:limit]
    ids = list({key.session_id for key in shown})
    rows = _read_rows(sources.own, ids, _read_period(sources.own, ids))
    by_key = {(row["session_id"], row["service_name"] or ""): Session.model_validate(row) for row in rows}
    names = [(key.session_id, key.service_name) for key in shown]
    return SessionRows([by_key[name] for name in names if name in by_key], shown[-1] if len(keys) > limit else None)


def read_session(read: Read, session_id: str) -> SessionDetail:
    """Return a session with its turns and scores. Raises UnknownSession."""
    period = _read_period(read, [session_id])
    keys = _read_turns(read, session_id, period)
    if not keys:
        raise UnknownSession(f"no run has the session id {session_id!r}; its runs may not have arrived yet")
    given = read(report("scores_in_session"), parameters={"session_id": session_id, "limit": _MOST_SCORES + 1})
    scores = rows_of(given)
    is_cut = {"runs": len(keys) > MOST_TURNS, "scores": given.truncated or len(scores) > _MOST_SCORES}
    return SessionDetail(
        session_id=session_id,
        sessions=[Session.model_validate(row) for row in _read_rows(read, [session_id], period)],
        runs=[Run.model_validate(row) for row in rows_of(read_runs(read, keys[:MOST_TURNS]))],
        scores=[Score.model_validate(row) for row in scores[:_MOST_SCORES]],
        truncated=[part for part, is_part_cut in is_cut.items() if is_part_cut],
    )


def read_turns(read: Read, session_id: str) -> list[RunKey]:
    """Return the turns of a session, oldest first, and one more than MOST_TURNS if there are more."""
    return _read_turns(read, session_id, _read_period(read, [session_id]))


def _read_turns(read: Read, session_id: str, period: Mapping[str, Any]) -> list[RunKey]:
    if period["earliest"] is None:
        return []
    of_session = {"session_id": session_id, **period, "limit": MOST_TURNS + 1}
    rows = rows_of(read(report("run_keys_of_session"), parameters=of_session))
    return [RunKey(0.0, row["started_at"], row["agent_trace_id"]) for row in rows]


def _read_keys(runs: RunList, sources: Sources, after: SessionKey, limit: int) -> list[SessionKey]:
    parameters = {
        **runs.parameters,
        "after_started_at": after.started_at,
        "after_session_id": after.session_id,
        "after_service": after.service_name,
        "limit": limit,
    }
    sql = report("session_keys", condition=runs.run_filter.condition)
    rows = rows_of(sources.for_filter(runs.run_filter)(sql, parameters=parameters))
    return [SessionKey(row["last_started_at"], row["session_id"], row["service_name"]) for row in rows]


def _read_rows(read: Read, session_ids: Sequence[str], period: Mapping[str, Any]) -> list[dict[str, Any]]:
    parameters = {"session_ids": session_ids, **period, "most_characters": MOST_CHARACTERS}
    return rows_of(read(report("sessions_by_id"), parameters=parameters))


def _read_period(read: Read, session_ids: Sequence[str]) -> dict[str, Any]:
    return rows_of(read(report("period_of_sessions"), parameters={"session_ids": session_ids}))[0]
