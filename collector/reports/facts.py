"""Reads the facts about a run from which its explanation is built."""

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

__all__ = ["Row", "RunFacts", "read_facts"]

Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The rows about a run and its session and tools, from the reports of the same names.

    `is_met` returns whether the `when` of an evaluator holds for a run; it raises ValueError with the cause if `when`
    fails. `judge_settle` and `session_idle` are settings: how long a run must be unchanged before a judge is asked,
    and a session before it is evaluated.
    """

    targets_of_run: Sequence[Row]
    scores_on_targets: Sequence[Row]
    deferred_targets: Sequence[Row]
    superseded_scores_of_run: Sequence[Row]
    is_met: Callable[[Configured, str], bool]
    judge_settle: timedelta
    session_idle: timedelta
    now: datetime


def read_facts(
    read: Read, agent_trace_id: str, *, judge_settle: timedelta, session_idle: timedelta, now: datetime
) -> RunFacts:
    """Read the facts about an existing run. Raises Fault if the store cannot be read."""
    targets = all_rows(read, report("targets_of_run"), agent_trace_id=agent_trace_id)
    target_ids = [target["target_id"] for target in targets]
    return RunFacts(
        targets_of_run=targets,
        scores_on_targets=all_rows(
            read, report("scores_on_targets"), agent_trace_id=agent_trace_id, target_ids=target_ids
        ),
        superseded_scores_of_run=all_rows(read, report("superseded_scores_of_run"), agent_trace_id=agent_trace_id),
        deferred_targets=all_rows(read, report("deferred_targets"), target_ids=target_ids),
        is_met=lambda evaluator, target_id: _is_met(read, evaluator, target_id),
        judge_settle=judge_settle,
        session_idle=session_idle,
        now=now,
    )


def _is_met(read: Read, evaluator: Configured, target_id: str) -> bool:
    """Return whether the `when` of the evaluator holds for the run. Raises ValueError if it fails."""
    sql, parameters = runs_where(evaluator.when or "true", [target_id], after=evaluator.after)
    try:
        return bool(read(sql, parameters=parameters).rows)
    except SqlRefused as refused:
        raise ValueError(str(refused)) from refused
