"""Finds why a target has no score of an evaluator: the first reason in the order in which a pass checks them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from tracegrade.evaluators.passes.sampling import is_in_else_sample, is_in_sample

from ..clock import format_time
from ..store.priority import BACKFILL
from .backlog import Standing
from .facts import Row, RunFacts

__all__ = [
    "Reason",
    "State",
    "describe_assembly_failure",
    "describe_deferred",
    "describe_experiment",
    "find_reason",
]

State: TypeAlias = Literal[
    "scored", "skipped", "error", "deferred", "queued", "no_reference", "before_enrolment", "excluded", "missing"
]

_NEVER_RUN = "it has not run with this configuration yet"


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why there is no score; `until` is when that ends (UTC), None if unknown."""

    state: State
    because: str
    until: datetime | None = None


def describe_deferred(standing: Standing) -> str | None:
    """Describe how many targets the evaluator has deferred, until when at least, and why; None if there are none."""
    if standing.deferred_until is None:
        return None
    until = format_time(standing.deferred_until)
    return f"{standing.deferred:,} deferred, the first until {until}: {standing.deferred_reason}"


def describe_assembly_failure(arrival: Row) -> str | None:
    """Describe why the assembly of a trace fails and when it is repeated, from a row of `arrivals_of_id`.

    None if it does not fail.
    """
    failures = arrival["failures"]
    if failures is None:
        return None
    times = "once" if failures == 1 else f"{failures:,} times in a row"
    again = "" if arrival["retry_at"] is None else f"at {format_time(arrival['retry_at'])} and "
    return (
        f"its assembly failed {times}, the last time at {format_time(arrival['failed_at'])}: {arrival['cause']}; "
        f"it is tried again {again}at each start"
    )


def describe_experiment(target: Row) -> str | None:
    """Describe that the target is part of an experiment, from a row of `targets_of_run`; None if it is not."""
    if target["experiment_id"] is None:
        return None
    return f"part of experiment {target['experiment_id']}: passes leave it out, the experiment evaluates it itself"


def find_reason(standing: Standing, target: Row, facts: RunFacts) -> Reason:
    """Find why the evaluator has no score on `target` for its present revision and configuration."""
    if cause := describe_experiment(target):
        return Reason("excluded", cause)
    if standing.seq is None:
        return Reason("queued", _NEVER_RUN)
    for check in (_check_order, _check_deferred, _check_selection, _check_enrolment, _check_reselection, _check_queued):
        if reason := check(standing, target, facts):
            return reason
    if standing.evaluator.only_with_reference:
        return Reason("no_reference", "evaluated only with a reference, and there is none for this target")
    return Reason("missing", "looked at, but it has no score: `tracegrade doctor --ledger` audits that")


def _check_order(standing: Standing, target: Row, facts: RunFacts) -> Reason | None:
    """Check whether an evaluator that is named in `after` has to evaluate the target first."""
    if not (target["seq"] > (standing.seq or 0) or _find_deferred(standing, target, facts)):
        return None
    for former in standing.after:
        if former.seq is None:
            reason: Reason | None = Reason("deferred", _NEVER_RUN)
        else:
            checks = (_check_order, _check_deferred, _check_queued)
            reason = next(filter(None, (check(former, target, facts) for check in checks)), None)
        if reason:
            cause = f"waits for {former.evaluator.name}: {reason.because}"
            return Reason("deferred", "; ".join([cause, *_describe_pause(standing)]), reason.until)
    return None


def _check_deferred(standing: Standing, target: Row, facts: RunFacts) -> Reason | None:
    """Check whether the target is deferred, or requested by a backfill.

    A newer revision than the deferred one is a new target.
    """
    row = _find_deferred(standing, target, facts)
    if row is None or (target["scope"] != "session" and target["seq"] > (standing.seq or 0)):
        return None
    pause = _describe_pause(standing)
    if row["not_before"] > facts.now:
        cause = f"deferred until {format_time(row['not_before'])}: {row['reason']}"
        return Reason("deferred", "; ".join([cause, *pause]), row["not_before"])
    if row["priority"] == BACKFILL:
        cause = f"requested by a backfill that has {standing.backfill} left; new targets come first"
    else:
        cause = f"it was deferred ({row['reason']}); the next pass looks at it again"
    return Reason("deferred", "; ".join([cause, *pause]))


def _find_deferred(standing: Standing, target: Row, facts: RunFacts) -> Row | None:
    rows = (row for row in facts.deferred_targets if row["evaluator"] == standing.evaluator.name)
    return next((row for row in rows if row["target_id"] == target["target_id"]), None)


def _describe_pause(standing: Standing) -> list[str]:
    return [f"the evaluator is paused since {format_time(standing.paused_at)}"] if standing.paused_at else []


def _check_selection(standing: Standing, target: Row, facts: RunFacts) -> Reason | None:
    """Check whether `sample` and `when` select the target, by evaluating them: no pass stores their results."""
    evaluator, target_id = standing.evaluator, target["target_id"]
    is_sampled, is_in_rest = is_in_sample(evaluator, target_id), is_in_else_sample(evaluator, target_id)
    by_sample = Reason("excluded", f"left out by `sample: {evaluator.sample:g}`")
    if evaluator.when is None or not (is_sampled or evaluator.else_sample):
        return None if is_sampled else by_sample
    try:
        if facts.is_met(evaluator, target_id):
            return None if is_sampled else by_sample
    except ValueError as error:
        return Reason("excluded", f"its condition `when: {evaluator.when}` fails on it: {error}")
    rest = f" and `else_sample: {evaluator.else_sample:g}`" if evaluator.else_sample else ""
    return None if is_in_rest else Reason("excluded", f"left out by `when: {evaluator.when}`{rest}")


def _check_enrolment(standing: Standing, target: Row, _: RunFacts) -> Reason | None:
    """Check whether the target is older than the first pass of the evaluator with this configuration."""
    if standing.enrolled_at is None or target["seq"] > (standing.first_seq or 0):
        return None
    cause = f"older than the evaluator, which first ran with this configuration on {format_time(standing.enrolled_at)}"
    return Reason("before_enrolment", "; ".join([cause, *_suggest_backfill(target)]))


def _check_reselection(standing: Standing, target: Row, _: RunFacts) -> Reason | None:
    """Check whether the target was excluded while the evaluator had another `when` or `sample`."""
    if target["seq"] > (standing.selected_seq or 0):
        return None
    since = f"active since {format_time(standing.selected_at)}" if standing.selected_at else "which have not run yet"
    cause = f"looked at before the present `when` and `sample`, {since}, and left out then"
    return Reason("excluded", "; ".join([cause, *_suggest_backfill(target)]))


def _suggest_backfill(target: Row) -> list[str]:
    return ["`tracegrade backfill` asks for it"] if target["scope"] == "trace" else []


def _check_queued(standing: Standing, target: Row, facts: RunFacts) -> Reason | None:
    """Check whether the evaluator has not reached the target yet."""
    if target["seq"] <= (standing.seq or 0):
        return None
    if standing.paused_at:
        resume = f"`tracegrade evaluators {standing.evaluator.name} --resume` lets it go on where it stopped"
        return Reason("queued", f"paused since {format_time(standing.paused_at)}; {resume}")
    if opens_at := standing.opens_at(facts.now):
        return Reason(
            "queued", f"its schedule `{standing.evaluator.schedule}` runs it by {format_time(opens_at)}", opens_at
        )
    return _check_settled(standing, target, facts) or Reason(
        "queued", f"not looked at yet: the evaluator is {standing.new} behind"
    )


def _check_settled(standing: Standing, target: Row, facts: RunFacts) -> Reason | None:
    """Check whether the target may still change: a run for a judge, a session for any evaluator; a tool never."""
    if target["scope"] == "session":
        until = _find_end_of_silence(target, facts.session_idle, facts.now)
        cause = "the session counts as over when nothing more of it comes until {}"
    elif target["scope"] == "trace" and standing.evaluator.kind == "llm":
        until = _find_end_of_silence(target, facts.judge_settle, facts.now)
        cause = "the score costs money, so late spans are waited for until {}"
    else:
        return None
    return Reason("deferred", cause.format(format_time(until)), until) if until else None


def _find_end_of_silence(target: Row, silence: timedelta, now: datetime) -> datetime | None:
    """Return when the target will have been unchanged for `silence`; None if it has been already.

    A target that was assembled after now, because the clock was set back since, does not wait.
    """
    assembled_at: datetime = target["assembled_at"]
    return assembled_at + silence if assembled_at <= now < assembled_at + silence else None
