"""What becomes of the verdicts on sessions that runs have left, or have got by a link alone.

What was seen of a run may have named another session than the whole run does, or been no run at all.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import duckdb

from tracegrade.queries.catalog import statement

from ..priority import PUT_OFF
from .arrow import listed

__all__ = ["review", "review_linked"]


def review(connection: duckdb.DuckDBPyConnection, session_ids: Collection[str], *, now: datetime) -> None:
    """Makes sessions that runs have left due again; takes the verdicts on those out of force that have no turn now."""
    if not session_ids:
        return
    found = connection.execute(statement("sessions_without_turns"), {"session_ids": listed(session_ids)}).fetchall()
    if ended := {session_id for (session_id,) in found}:
        gone = {"target_ids": _targets(ended)}
        connection.execute(statement("delete_due_later_of_targets"), gone)
        connection.execute(statement("withdraw_scores_of_targets"), {**gone, "now": now})
    if lasting := set(session_ids) - ended:
        again = {"target_ids": _targets(lasting), "now": now, "priority": PUT_OFF}
        connection.execute(statement("look_at_sessions_again"), again)


def review_linked(connection: duckdb.DuckDBPyConnection, session_ids: Collection[str], *, now: datetime) -> None:
    """Makes sessions due that were given to runs of which there is no new revision."""
    if session_ids:
        linked = {"session_ids": listed(session_ids), "now": now, "priority": PUT_OFF}
        connection.execute(statement("look_at_linked_sessions"), linked)


def _targets(session_ids: Collection[str]) -> str:
    return listed(f"session:{session_id}" for session_id in session_ids)
