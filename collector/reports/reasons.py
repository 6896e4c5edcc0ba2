"""Why a target has no score of an evaluator: the first reason that holds, in the order in which a pass meets them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from tracegrade.evaluators.passes.sampling import is_in_else_sample, is_in_sample

from ..clock import told_at
from ..store.priority import BACKFILL
from .backlog import Standing
from .facts import Known, Row

__all__ = ["Reason", "State", "cannot_be_assembled", "put_off_by", "reason", "told_at"]

State: TypeAlias = Literal[
    "scored", "skipped", "error", "deferred", "queued", "no_reference", "before_enrolment", "excluded", "missing"
]

_NEVER_RUN = "it has not run with this configuration yet"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why there is no score; `until`: when that is over (UTC), None where nobody can say."""

    state: State
    because: str
    until: datetime | None = None


def put_off_by(standing: Standing) -> str | None:
    """How many targets the evaluator has put off, until when at the least, and why; None where there are none."""
    if standing.put_off_until is None:
        return None
    return f"{standing.put_off:,} put off, the first until {told_at(standing.put_off_until)}: {standing.put_off_reason}"


def cannot_be_assembled(arrival: Row) -> str | None:
    """Why the assembly of a trace fails and when it is tried again, by a row of `arrivals_of_id`; None where it does
    not fail."""
    failures = arrival["failures"]
    if failures is None:
        return None
    times = "once" if failures == 1 else f"{failures:,} times in a row"
    again = "" if arrival["retry_at"] is None else f"at {told_at(arrival['retry_at'])} and "
    return (
        f"its assembly failed {times}, the last time at {told_at(arrival['failed_at'])}: {arrival['cause']}; "
        f"it is tried again {again}at each start"
    )


def reason(standing: Standing, target: Row, known: Known) -> Reason:
    """Why `standing` has no score on `target`, which has none of its present revision and configuration."""
    if standing.seq is None:
        return Reason("queued", _NEVER_RUN)
    for reason_of in (_others_first, _put_off, _left_out, _older, _passed_over, _ahead):
        if found := reason_of(standing, target, known):
            return found
    if standing.evaluator.only_with_reference:
        return Reason("no_reference", "judged only where something is expected, and of this nobody said what")
    return Reason("missing", "looked at, but it has no score: `tracegrade doctor --ledger` audits that")


def _others_first(standing: Standing, target: Row, known: Known) -> Reason | None:
    """An evaluator that it comes `after` has still to judge the target, as it has itself."""
    if not (target["seq"] > (standing.seq or 0) or _later(standing, target, known)):
        return None
    for other in standing.after:
        if other.seq is None:
            found: Reason | None = Reason("deferred", _NEVER_RUN)
        else:
            found = next(filter(None, (of(other, target, known) for of in (_others_first, _put_off, _ahead))), None)
        if found:
            told = f"waits for {other.evaluator.name}: {found.because}"
            return Reason("deferred", "; ".join([told, *_paused(standing)]), found.until)
    return None


def _put_off(standing: Standing, target: Row, known: Known) -> Reason | None:
    """It was put off, or a backfill asks for it. A newer revision than the one that was put off is a new target."""
    row = _later(standing, target, known)
    if row is None or (target["scope"] != "session" and target["seq"] > (standing.seq or 0)):
        return None
    paused = _paused(standing)
    if row["not_before"] > known.now:
        told = f"put off until {told_at(row['not_before'])}: {row['reason']}"
        return Reason("deferred", "; ".join([told, *paused]), row["not_before"])
    if row["priority"] == BACKFILL:
        told = f"asked for by a backfill, of which {standing.backfill} are left; what is new goes before"
    else:
        told = f"it was put off ({row['reason']}), and the next pass looks again"
    return Reason("deferred", "; ".join([told, *paused]))


def _later(standing: Standing, target: Row, known: Known) -> Row | None:
    rows = (row for row in known.put_off_targets if row["evaluator"] == standing.evaluator.name)
    return next((row for row in rows if row["target_id"] == target["target_id"]), None)


def _paused(standing: Standing) -> list[str]:
    return [f"the evaluator is paused since {told_at(standing.paused_at)}"] if standing.paused_at else []


def _left_out(standing: Standing, target: Row, known: Known) -> Reason | None:
    """`sample` and `when` do not select it. They are asked now: what they said in the pass was not kept."""
    evaluator, target_id = standing.evaluator, target["target_id"]
    is_sampled, is_in_rest = is_in_sample(evaluator, target_id), is_in_else_sample(evaluator, target_id)
    by_sample = Reason("excluded", f"left out by `sample: {evaluator.sample:g}`")
    if evaluator.when is None or not (is_sampled or evaluator.else_sample):
        return None if is_sampled else by_sample
    try:
        if known.met(evaluator, target_id):
            return None if is_sampled else by_sample
    except ValueError as cause:
        return Reason("excluded", f"its condition `when: {evaluator.when}` fails on it: {cause}")
    rest = f" and `else_sample: {evaluator.else_sample:g}`" if evaluator.else_sample else ""
    return None if is_in_rest else Reason("excluded", f"left out by `when: {evaluator.when}`{rest}")


def _older(standing: Standing, target: Row, _: Known) -> Reason | None:
    """It was there before the evaluator first ran with this configuration."""
    if standing.enrolled_at is None or target["seq"] > (standing.first_seq or 0):
        return None
    told = f"older than the evaluator, which first ran with this configuration on {told_at(standing.enrolled_at)}"
    return Reason("before_enrolment", "; ".join([told, *_remedy(target)]))


def _passed_over(standing: Standing, target: Row, _: Known) -> Reason | None:
    """It was looked at, and not judged, when the evaluator had another `when` or `sample` than now."""
    if target["seq"] > (standing.selected_seq or 0):
        return None
    since = f"active since {told_at(standing.selected_at)}" if standing.selected_at else "which have not run yet"
    told = f"looked at before the present `when` and `sample`, {since}, and left out then"
    return Reason("excluded", "; ".join([told, *_remedy(target)]))


def _remedy(target: Row) -> list[str]:
    return ["`tracegrade backfill` asks for it"] if target["scope"] == "trace" else []


def _ahead(standing: Standing, target: Row, known: Known) -> Reason | None:
    """The evaluator has not looked at it yet."""
    if target["seq"] <= (standing.seq or 0):
        return None
    if standing.paused_at:
        resume = f"`tracegrade evaluators {standing.evaluator.name} --resume` lets it go on where it stopped"
        return Reason("queued", f"paused since {told_at(standing.paused_at)}; {resume}")
    if opens_at := standing.opens_at(known.now):
        return Reason(
            "queued", f"its schedule `{standing.evaluator.schedule}` runs it by {told_at(opens_at)}", opens_at
        )
    return _settling(standing, target, known) or Reason(
        "queued", f"not looked at yet: the evaluator is {standing.new} behind"
    )


def _settling(standing: Standing, target: Row, known: Known) -> Reason | None:
    """It may still grow: a run before a score that costs money, a session before any. A tool never does."""
    if target["scope"] == "session":
        until = _quiet_at(target, known.session_idle, known.now)
        told = "the session counts as over when nothing more of it comes until {}"
    elif target["scope"] == "trace" and standing.evaluator.kind == "llm":
        until = _quiet_at(target, known.judge_settle, known.now)
        told = "the score costs money, so late spans are waited for until {}"
    else:
        return None
    return Reason("deferred", told.format(told_at(until)), until) if until else None


def _quiet_at(target: Row, silence: timedelta, now: datetime) -> datetime | None:
    """When nothing of the target has changed for as long as `silence`; None where that is so already.

    What was assembled after now, by a clock that was set back since, is waited for no more.
    """
    assembled_at: datetime = target["assembled_at"]
    return assembled_at + silence if assembled_at <= now < assembled_at + silence else None
