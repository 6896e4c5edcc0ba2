"""Finds the tool definitions that runs offer, and withdraws the scores on those that no run offers any more.

An incomplete run may have had a definition that the complete run does not have.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import duckdb

from tracegrade.queries.catalog import statement

from ..engines.arrow import listed

__all__ = ["definitions_of", "withdraw"]


def definitions_of(connection: duckdb.DuckDBPyConnection, agent_trace_ids: Collection[str]) -> set[str]:
    """Return the hashes of the tool definitions that some runs offer."""
    if not agent_trace_ids:
        return set()
    found = connection.execute(statement("definition_hashes_of_runs"), {"agent_trace_ids": listed(agent_trace_ids)})
    return {definition_hash for (definition_hash,) in found.fetchall()}


def withdraw(connection: duckdb.DuckDBPyConnection, definition_hashes: Collection[str], *, now: datetime) -> None:
    """Delete those of these definitions that no run offers now, and withdraw the scores on them.

    A definition that is offered again is due again.
    """
    if not definition_hashes:
        return
    asked = {"definition_hashes": listed(definition_hashes)}
    gone = connection.execute(statement("delete_offered_tools"), asked).fetchall()
    if gone:
        targets = {"target_ids": listed(f"tool:{definition_hash}" for (definition_hash,) in gone)}
        connection.execute(statement("delete_gone_targets"), targets)
        connection.execute(statement("withdraw_scores_of_targets"), {**targets, "now": now})
