"""Makes sessions due again, or withdraws their scores, after runs have left them or were linked into them.

A run leaves a session because its first spans named another session than the complete run does, or because they turned
out to be no run of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TypeAlias

import duckdb

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed
from ..priority import DEFERRED

__all__ = ["Member", "changed", "review", "review_linked"]

Member: TypeAlias = tuple[str, int, bool]
"""A run of a session: its agent_trace_id, its revision, and whether it is a turn."""


def review(connection: duckdb.DuckDBPyConnection, session_ids: Collection[str], *, now: datetime) -> None:
    """Make sessions due again that runs have left; withdraw the scores on those that have no turn any more."""
    if not session_ids:
        return
    found = connection.execute(statement("sessions_without_turns"), {"session_ids": listed(session_ids)}).fetchall()
    if ended := {session_id for (session_id,) in found}:
        gone = {"target_ids": _targets(ended)}
        connection.execute(statement("delete_gone_targets"), gone)
        connection.execute(statement("withdraw_scores_of_targets"), {**gone, "now": now})
    if lasting := set(session_ids) - ended:
        again = {"target_ids": _targets(lasting), "now": now, "priority": DEFERRED}
        connection.execute(statement("requeue_sessions"), again)


def review_linked(connection: duckdb.DuckDBPyConnection, session_ids: Collection[str], *, now: datetime) -> None:
    """Make sessions due that stored runs were linked into without a new revision of the runs."""
    if session_ids:
        linked = {"session_ids": listed(session_ids), "now": now, "priority": DEFERRED}
        connection.execute(statement("requeue_linked_sessions"), linked)


def changed(connection: duckdb.DuckDBPyConnection, seen: Mapping[str, Collection[Member]]) -> list[str]:
    """Return the target_ids of sessions that have a turn, and other runs or revisions now than were `seen`.

    A new revision in a session makes it due by itself; a run that has left it does not.
    """
    if not seen:
        return []
    now: dict[str, set[Member]] = {target: set() for target in seen}
    found = connection.execute(statement("members_of_sessions"), {"target_ids": listed(seen)}).fetchall()
    for target, *member in found:
        now[target].add((member[0], member[1], member[2]))
    return [
        target
        for target, members in now.items()
        if members != set(seen[target]) and any(is_turn for *_, is_turn in members)
    ]


def _targets(session_ids: Collection[str]) -> str:
    return listed(f"session:{session_id}" for session_id in session_ids)
