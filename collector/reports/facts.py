"""What the store says of a run and of what is around it, read for whoever explains it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..errors import SqlRefused
from ..store.ledger.conditions import runs_where

__all__ = ["Known", "Row", "learn"]

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the store says of a run and what is around it. Rows are those of the reports of these names.

    `met` says whether the `when` of an evaluator holds for a run, or raises ValueError with the cause why that cannot
    be told. `judge_settle` and `session_idle` are settings: for how long a run must not have changed before a judge
    that costs money is asked, and a session before it is judged as a whole.
    """

    targets_of_run: Sequence[Row]
    scores_on_targets: Sequence[Row]
    put_off_targets: Sequence[Row]
    superseded_scores_of_run: Sequence[Row]
    met: Callable[[Configured, str], bool]
    judge_settle: timedelta
    session_idle: timedelta
    now: datetime


def learn(read: Read, agent_trace_id: str, *, judge_settle: timedelta, session_idle: timedelta, now: datetime) -> Known:
    """What there is to know of a run that exists. Raises Fault when the store cannot be asked."""
    targets = all_rows(read, report("targets_of_run"), agent_trace_id=agent_trace_id)
    target_ids = [target["target_id"] for target in targets]
    return Known(
        targets_of_run=targets,
        scores_on_targets=all_rows(
            read, report("scores_on_targets"), agent_trace_id=agent_trace_id, target_ids=target_ids
        ),
        superseded_scores_of_run=all_rows(read, report("superseded_scores_of_run"), agent_trace_id=agent_trace_id),
        put_off_targets=all_rows(read, report("put_off_targets"), target_ids=target_ids),
        met=lambda evaluator, target_id: _met(read, evaluator, target_id),
        judge_settle=judge_settle,
        session_idle=session_idle,
        now=now,
    )


def _met(read: Read, evaluator: Configured, target_id: str) -> bool:
    """Raises ValueError when it cannot be told."""
    sql, asked = runs_where(evaluator.when or "true", [target_id], after=evaluator.after)
    try:
        return bool(read(sql, parameters=asked).rows)
    except SqlRefused as refused:
        raise ValueError(str(refused)) from refused
