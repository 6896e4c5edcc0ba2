"""Requests scores of past runs. The passes evaluate them after new runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from tracegrade.evaluators.catalog.source_names import name_hint
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries import fence
from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import Backfill, BackfillSummary, CommandRefused

from ..clock import as_utc
from ..evaluation.lane import Lane
from ..store.engines.arrow import listed
from ..store.engines.database import Database
from ..store.ledger.conditions import Conditions
from ..store.priority import BACKFILL

__all__ = ["request_backfill"]


def request_backfill(lanes: Sequence[Lane], database: Database, request: Backfill) -> BackfillSummary:
    """Make the requested runs due for the evaluators. Raises CommandRefused."""
    by_name = {
        evaluator.name: evaluator for lane in lanes for evaluator in lane.evaluators if evaluator.scope != "tool"
    }
    for name in request.evaluators:
        if name not in by_name:
            near = name_hint(name, sorted(by_name))
            raise CommandRefused(f"the configuration has no evaluator of runs or sessions named {name!r}{near}")
    if not by_name:
        raise CommandRefused("the configuration has no evaluator of runs or sessions")
    since, until = _read_period(request)
    runs = _select_runs(database, request.where)
    evaluators = [by_name[name] for name in request.evaluators or by_name]
    counts = _count_targets(database, evaluators, runs, since=since, until=until)
    requested = {
        evaluator.name: lane.ledger.backfill(
            evaluator, since=since, until=until, agent_trace_ids=runs, again=request.again
        )
        for lane in lanes
        for evaluator in lane.evaluators
        if evaluator.name in counts
    }
    return BackfillSummary(
        runs=max(targets for targets, _, _ in counts.values()),
        requested=requested,
        requested_before={name: before for name, (_, before, _) in counts.items()},
        deferred={name: deferred for name, (_, _, deferred) in counts.items()},
        paused=tuple(sorted(lanes[0].ledger.paused() & counts.keys())),
        scheduled={evaluator.name: evaluator.schedule for evaluator in evaluators if evaluator.schedule},
    )


def _read_period(request: Backfill) -> tuple[datetime, datetime]:
    """Return the first and the last time in UTC; the last is now by default. Raises CommandRefused."""
    try:
        since, until = as_utc(request.since), as_utc(request.until or datetime.now(UTC))
    except OverflowError as error:
        raise CommandRefused("`since` or `until` is not a time in UTC") from error
    if request.until is not None and since >= until:
        raise CommandRefused(
            f"`since`, {since:%Y-%m-%d %H:%M:%S} UTC, is not before `until`, {until:%Y-%m-%d %H:%M:%S} UTC"
        )
    return since, until


def _count_targets(
    database: Database,
    evaluators: Collection[Configured],
    agent_trace_ids: Collection[str] | None,
    *,
    since: datetime,
    until: datetime,
) -> Mapping[str, tuple[int, int, int]]:
    """Count, by evaluator, the targets of the period, those of them that were requested before, and deferred ones."""
    parameters = {
        "evaluators": listed(evaluator.name for evaluator in evaluators),
        "of_sessions": listed(evaluator.name for evaluator in evaluators if evaluator.scope == "session"),
        "earliest": since,
        "latest": until,
        "every": agent_trace_ids is None,
        "agent_trace_ids": listed(agent_trace_ids or ()),
        "backfill": BACKFILL,
    }
    with database.cursor() as connection:
        rows = connection.execute(statement("backfill_targets"), parameters).fetchall()
    return {name: (targets, before, deferred) for name, targets, before, deferred in rows}


def _select_runs(database: Database, where: str | None) -> set[str] | None:
    if where is None:
        return None
    try:
        return Conditions(database).all_met(where)
    except fence.SqlError as error:
        raise CommandRefused(f"the condition `where` cannot be used: {error}") from error
