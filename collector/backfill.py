"""Verdicts on the past: which runs are meant, and asking for them. The passes then do the work, new runs first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from tracegrade.evaluators.hints import hint
from tracegrade.queries import fence
from tracegrade.queries.ports import Backfill, OrderRefused

from .lane import Lane
from .store.conditions import Conditions
from .store.database import Database

__all__ = ["ask", "moment"]

_AGO: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def moment(text: str, now: datetime) -> datetime:
    """A time in UTC without a zone, from ISO 8601 or from how long ago it was: `7d`, `12h`. Raises ValueError."""
    if found := _AGO.fullmatch(text.strip()):
        return now - timedelta(seconds=float(found[1]) * _SECONDS[found[2]])
    try:
        told = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"{text!r} is no time; write it as 2026-11-22, 2026-11-22T12:00 or 7d (ago)") from error
    return _utc(told)


def ask(lanes: Sequence[Lane], database: Database, wanted: Backfill) -> Mapping[str, int]:
    """Puts the runs into the queues of the evaluators; gives how many by name. Raises OrderRefused."""
    known = {evaluator.name: lane for lane in lanes for evaluator in lane.evaluators if _judges_runs(evaluator.scope)}
    for name in wanted.evaluators:
        if name not in known:
            raise OrderRefused(
                f"no evaluator of runs is called {name!r} in the configuration{hint(name, sorted(known))}"
            )
    runs = _met(database, wanted.where)
    since, until = _utc(wanted.since), wanted.until and _utc(wanted.until)
    return {
        evaluator.name: lane.ledger.backfill(
            evaluator, since=since, until=until, agent_trace_ids=runs, again=wanted.again
        )
        for lane in lanes
        for evaluator in lane.evaluators
        if evaluator.name in (wanted.evaluators or known)
    }


def _utc(time: datetime) -> datetime:
    """Without a zone, as the store has it."""
    return time.astimezone(UTC).replace(tzinfo=None) if time.tzinfo else time


def _judges_runs(scope: str) -> bool:
    return scope in {"trace", "tool_call"}


def _met(database: Database, where: str | None) -> set[str] | None:
    if where is None:
        return None
    try:
        return Conditions(database).all_met(where)
    except fence.SqlError as error:
        raise OrderRefused(f"the condition `where` cannot be used: {error}") from error
