"""How far each evaluator is: what is new to it, what it put off, and when it is at work next."""

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

from ..client.query import Read, all_rows
from ..store.priority import BACKFILL

__all__ = ["Standing", "standings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far an evaluator has read: from `first_seq` at enrolment to `seq` now; None if never enrolled. Up to
    `selected_seq` it has looked at nothing under its present `when` and `sample`, which are active since
    `selected_at`; None if they have not run yet.

    `new` counts targets it has not looked at, `put_off` those it will look at again (the first one at `put_off_until`,
    because of `put_off_reason`), `backfill` what a backfill asked for. `oldest_at` is when the oldest run that is new
    or put off was assembled. `after` has the standings of the evaluators it comes after. Times are UTC without a zone,
    as the store has them.
    """

    evaluator: Configured
    enrolled_at: datetime | None = None
    first_seq: int | None = None
    seq: int | None = None
    selected_seq: int | None = None
    selected_at: datetime | None = None
    paused_at: datetime | None = None
    new: int = 0
    put_off: int = 0
    put_off_reason: str | None = None
    put_off_until: datetime | None = None
    backfill: int = 0
    oldest_at: datetime | None = None
    last_at: datetime | None = None
    last_due: int | None = None
    last_errors: int | None = None
    after: tuple[Standing, ...] = ()

    @property
    def waiting(self) -> int:
        """How many targets wait for a score, whatever for."""
        return self.new + self.put_off + self.backfill

    def cannot_ask(self, now: datetime) -> bool:
        """Whether it has put targets off until after `now` because of its judge or of what it may spend there."""
        evaluator = self.evaluator
        if evaluator.asks is None or self.put_off_until is None or self.put_off_until <= now:
            return False
        return (self.put_off_reason or "").startswith((f"judge {evaluator.asks!r} ", f"evaluator {evaluator.name!r} "))

    def opens_at(self, now: datetime) -> datetime | None:
        """The latest time (UTC) of its next scheduled pass; None if it has no schedule.

        The store does not tell of a pass that found nothing: one whose time is over is taken for done.
        """
        schedule = self.evaluator.schedule
        if schedule is None:
            return None
        since = max((at for at in (self.last_at, self.enrolled_at) if at is not None), default=now)
        following = next_time(schedule, since)
        return following if following > now else next_time(schedule, now)

    def lag_s(self, now: datetime) -> float | None:
        """For how long its oldest run has been waiting; None where only tools wait, which have no time."""
        if self.oldest_at is None:
            return None if self.new else 0.0
        return max(0.0, (now - self.oldest_at).total_seconds())


def standings(read: Read, evaluators: Sequence[Configured]) -> list[Standing]:
    """The standing of each of `evaluators`, in their order; among them are all that one of them comes after. One whose
    function is not imported here is looked at in the form in which it was last at work."""
    evaluators = _in_known_form(read, evaluators)
    asked = {
        "evaluators": [one.name for one in evaluators],
        "evaluator_versions": [one.version for one in evaluators],
        "config_hashes": [one.config_hash for one in evaluators],
        "backfill": BACKFILL,
    }
    rows = {row["evaluator"]: row for row in all_rows(read, report("backlog"), **asked)}
    by_name = {one.name: one for one in evaluators}
    made: dict[str, Standing] = {}
    for name in TopologicalSorter({one.name: one.after for one in evaluators}).static_order():
        made[name] = _standing(by_name[name], rows[name], made)
    return [made[one.name] for one in evaluators]


def _in_known_form(read: Read, evaluators: Sequence[Configured]) -> Sequence[Configured]:
    missing = [one.name for one in evaluators if not one.is_imported]
    if not missing:
        return evaluators
    forms = {row["evaluator"]: row for row in all_rows(read, report("newest_forms"), evaluators=missing)}
    return [one if one.is_imported or one.name not in forms else _in_form(one, forms[one.name]) for one in evaluators]


def _in_form(evaluator: Configured, form: Mapping[str, Any]) -> Configured:
    return replace(evaluator, version=form["evaluator_version"], config_hash=form["config_hash"], scope=form["scope"])


def _standing(evaluator: Configured, row: Mapping[str, Any], made: Mapping[str, Standing]) -> Standing:
    told = {name: value for name, value in row.items() if name not in {"evaluator", "selection"}}
    if row["selection"] != hash_selection(evaluator):
        told |= {"selected_seq": told["seq"], "selected_at": None}
    return Standing(evaluator=evaluator, after=tuple(made[name] for name in evaluator.after), **told)
