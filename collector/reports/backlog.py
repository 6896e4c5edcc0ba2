"""Reads the progress of each evaluator: its new and deferred targets, and when it runs next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from graphlib import TopologicalSorter
from typing import Any

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.sampling import hash_selection
from tracegrade.evaluators.passes.schedule import next_time
from tracegrade.queries.catalog import report
from tracegrade.queries.ports import EvaluatorState

from ..client.query import Read, all_rows
from ..store.priority import BACKFILL

__all__ = ["Standing", "read_standings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far an evaluator has read: from `first_seq` at enrolment to `seq` now; None if it was never enrolled.

    Its present `when` and `sample` apply after `selected_seq`, since `selected_at`; None if they have not run yet.

    `new` counts targets that it has not looked at, `deferred` those that it deferred (the first until `deferred_until`,
    because of `deferred_reason`), `backfill` those that a backfill requested. `oldest_at` is when the oldest
    new or deferred run was assembled. `after` has the standings of the evaluators that run before it. Times are UTC
    without a zone, as in the store.
    """

    evaluator: Configured
    enrolled_at: datetime | None = None
    first_seq: int | None = None
    seq: int | None = None
    selected_seq: int | None = None
    selected_at: datetime | None = None
    paused_at: datetime | None = None
    new: int = 0
    deferred: int = 0
    deferred_reason: str | None = None
    deferred_until: datetime | None = None
    backfill: int = 0
    oldest_at: datetime | None = None
    last_at: datetime | None = None
    last_due: int | None = None
    last_errors: int | None = None
    after: tuple[Standing, ...] = ()

    @property
    def waiting(self) -> int:
        """The number of targets that wait for a score, for any reason."""
        return self.new + self.deferred + self.backfill

    def cannot_ask(self, now: datetime) -> bool:
        """Return whether it has deferred targets until after `now` because of its judge or its budget there."""
        evaluator = self.evaluator
        if evaluator.asks is None or self.deferred_until is None or self.deferred_until <= now:
            return False
        return (self.deferred_reason or "").startswith((f"judge {evaluator.asks!r} ", f"evaluator {evaluator.name!r} "))

    def state(self, now: datetime) -> EvaluatorState:
        """Return whether it runs, and if not, why not."""
        if self.seq is None:
            return "not enrolled"
        if self.paused_at:
            return "paused"
        if self.cannot_ask(now):
            return "cannot ask"
        return "running" if self.evaluator.schedule is None else "scheduled"

    def opens_at(self, now: datetime) -> datetime | None:
        """Return the latest time (UTC) of its next scheduled pass; None if it has no schedule.

        The store does not record a pass without targets, so a pass whose time is over counts as done.
        """
        schedule = self.evaluator.schedule
        if schedule is None:
            return None
        since = max((at for at in (self.last_at, self.enrolled_at) if at is not None), default=now)
        following = next_time(schedule, since)
        return following if following > now else next_time(schedule, now)

    def lag_s(self, now: datetime) -> float | None:
        """Return for how many seconds its oldest run has been waiting; None if only tools wait, which have no time."""
        if self.oldest_at is None:
            return None if self.new else 0.0
        return max(0.0, (now - self.oldest_at).total_seconds())


def read_standings(read: Read, evaluators: Sequence[Configured]) -> list[Standing]:
    """Read the standing of each of `evaluators`, in their order.

    They must include all that one of them names in `after`. For an evaluator whose function is not imported here, the
    standing is that of its newest form in the store.
    """
    evaluators = _use_newest_forms(read, evaluators)
    parameters = {
        "evaluators": [evaluator.name for evaluator in evaluators],
        "evaluator_versions": [evaluator.version for evaluator in evaluators],
        "config_hashes": [evaluator.config_hash for evaluator in evaluators],
        "backfill": BACKFILL,
    }
    rows = {row["evaluator"]: row for row in all_rows(read, report("backlog"), **parameters)}
    by_name = {evaluator.name: evaluator for evaluator in evaluators}
    standings: dict[str, Standing] = {}
    for name in TopologicalSorter({evaluator.name: evaluator.after for evaluator in evaluators}).static_order():
        standings[name] = _build_standing(by_name[name], rows[name], standings)
    return [standings[evaluator.name] for evaluator in evaluators]


def _use_newest_forms(read: Read, evaluators: Sequence[Configured]) -> Sequence[Configured]:
    missing = [evaluator.name for evaluator in evaluators if not evaluator.is_imported]
    if not missing:
        return evaluators
    forms = {row["evaluator"]: row for row in all_rows(read, report("newest_forms"), evaluators=missing)}
    return [_use_form(evaluator, forms.get(evaluator.name)) for evaluator in evaluators]


def _use_form(evaluator: Configured, form: Mapping[str, Any] | None) -> Configured:
    if form is None:
        return evaluator
    return replace(evaluator, version=form["evaluator_version"], config_hash=form["config_hash"], scope=form["scope"])


def _build_standing(evaluator: Configured, row: Mapping[str, Any], standings: Mapping[str, Standing]) -> Standing:
    fields = {name: value for name, value in row.items() if name not in {"evaluator", "selection"}}
    if row["selection"] != hash_selection(evaluator):
        fields |= {"selected_seq": fields["seq"], "selected_at": None}
    return Standing(evaluator=evaluator, after=tuple(standings[name] for name in evaluator.after), **fields)
