"""Decides conditions of users on stored runs, by SELECTs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tracegrade.queries import fence

from ..errors import SqlRefused
from ..store.ledger.conditions import Decisions, decide_by_bisection, runs_where
from .query import Read

__all__ = ["decide"]


def decide(read: Read, condition: str, agent_trace_ids: Sequence[str], *, after: Sequence[str] = ()) -> Decisions:
    """Decide for which of these runs a condition of a user holds."""
    return decide_by_bisection(partial(_read_met, read, condition, after=after), agent_trace_ids)


def _read_met(read: Read, condition: str, part: list[str], *, after: Sequence[str]) -> set[str]:
    """Read the runs for which the condition holds. Raises fence.SqlError if it fails on one of them."""
    sql, parameters = runs_where(condition, part, after=after)
    try:
        answer = read(sql, parameters=parameters)
    except SqlRefused as refused:
        raise fence.SqlFailed(str(refused)) from refused
    return set(answer.table.column("agent_trace_id").to_pylist())
