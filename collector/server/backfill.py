"""Scores on the past: which runs are meant, and asking for them. The passes then do the work, new runs first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.text.duration import BadDuration, duration
from tracegrade.evaluators.text.suggestions import hint
from tracegrade.queries import fence
from tracegrade.queries.catalog import statement
from tracegrade.queries.ports import Asked, Backfill, CommandRefused

from ..clock import as_utc
from ..evaluation.lane import Lane
from ..store.engines.arrow import listed
from ..store.engines.database import Database
from ..store.ledger.conditions import Conditions
from ..store.priority import BACKFILL

__all__ = ["ask", "moment"]


def moment(text: str, now: datetime) -> datetime:
    """A time in UTC without a zone, from ISO 8601 or from how long ago it was: `7d`, `12h`. Raises ValueError."""
    try:
        return now - duration(text)
    except BadDuration:
        pass  # then it is a moment
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is no time; write it as 2026-11-22, 2026-11-22T12:00 or 7d (ago)") from error


def ask(lanes: Sequence[Lane], database: Database, wanted: Backfill) -> Asked:
    """Puts the runs into the queues of the evaluators. Raises CommandRefused."""
    known = {one.name: one for lane in lanes for one in lane.evaluators if one.scope != "tool"}
    for name in wanted.evaluators:
        if name not in known:
            raise CommandRefused(
                f"no evaluator of runs or sessions is called {name!r} in the configuration{hint(name, sorted(known))}"
            )
    if not known:
        raise CommandRefused("no evaluator in the configuration judges runs or sessions")
    since, until = _span(wanted)
    runs = _met(database, wanted.where)
    evaluators = [known[name] for name in wanted.evaluators or known]
    meant = _meant(database, evaluators, runs, since=since, until=until)
    asked = {
        evaluator.name: lane.ledger.backfill(
            evaluator, since=since, until=until, agent_trace_ids=runs, again=wanted.again
        )
        for lane in lanes
        for evaluator in lane.evaluators
        if evaluator.name in meant
    }
    return Asked(
        runs=max(count for count, _, _ in meant.values()),
        asked=asked,
        before={name: before for name, (_, before, _) in meant.items()},
        put_off={name: put_off for name, (_, _, put_off) in meant.items()},
        paused=tuple(sorted(lanes[0].ledger.paused() & meant.keys())),
        scheduled={
            one.name: one.schedule for lane in lanes for one in lane.evaluators if one.schedule and one.name in meant
        },
    )


def _span(wanted: Backfill) -> tuple[datetime, datetime]:
    """From when to when, in UTC; up to now where nothing is said. Raises CommandRefused."""
    try:
        since, until = as_utc(wanted.since), as_utc(wanted.until or datetime.now(UTC))
    except OverflowError as error:
        raise CommandRefused("`since` or `until` is no time in UTC") from error
    if wanted.until is not None and since >= until:
        raise CommandRefused(
            f"`since`, {since:%Y-%m-%d %H:%M:%S} UTC, is not before `until`, {until:%Y-%m-%d %H:%M:%S} UTC"
        )
    return since, until


def _meant(
    database: Database,
    evaluators: Collection[Configured],
    agent_trace_ids: Collection[str] | None,
    *,
    since: datetime,
    until: datetime,
) -> Mapping[str, tuple[int, int, int]]:
    """How many targets are meant, how many of them were asked for before, and how many are put off, by evaluator."""
    asked = {
        "evaluators": listed(one.name for one in evaluators),
        "of_sessions": listed(one.name for one in evaluators if one.scope == "session"),
        "earliest": since,
        "latest": until,
        "every": agent_trace_ids is None,
        "agent_trace_ids": listed(agent_trace_ids or ()),
        "backfill": BACKFILL,
    }
    with database.cursor() as connection:
        found = connection.execute(statement("backfill_targets"), asked).fetchall()
    return {name: (targets, before, put_off) for name, targets, before, put_off in found}


def _met(database: Database, where: str | None) -> set[str] | None:
    if where is None:
        return None
    try:
        return Conditions(database).all_met(where)
    except fence.SqlError as error:
        raise CommandRefused(f"the condition `where` cannot be used: {error}") from error
