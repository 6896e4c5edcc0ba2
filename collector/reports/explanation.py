"""Why an evaluator has, or has not, a verdict on a run and what is around it: told from what the store holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from ..priority import BACKFILL
from ..store.due import is_in_else_sample, is_in_sample
from .backlog import Standing
from .known import Known, Row

__all__ = ["Explanation", "State", "explain", "from_others", "told_at"]

State: TypeAlias = Literal[
    "scored",
    "skipped",
    "error",
    "waiting",
    "paused",
    "scheduled",
    "settling",
    "behind",
    "left_out",
    "silent",
    "older",
    "passed_over",
    "not_enrolled",
    "missing",
]

_FROM_OTHERS = {"human", "external"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What became of one target: a verdict, or the reason why there is none; `until`: when that is over (UTC)."""

    evaluator: str
    target_id: str
    about: str
    state: State
    because: str | None = None
    value: float | None = None
    label: str | None = None
    passed: bool | None = None
    author: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Reason:
    state: State
    because: str
    until: datetime | None = None


def explain(standing: Standing, known: Known) -> list[Explanation]:
    """What became of the targets that the evaluator judges: the run, or its session, or each tool that it offered.

    One a target, or one a call that has a verdict of its own; where there is nothing of its scope, that is told.
    """
    evaluator = standing.evaluator
    scope = "trace" if evaluator.scope == "tool_call" else evaluator.scope
    ours = [target for target in known.targets_of_run if target["scope"] == scope]
    if ours:
        return [one for target in ours for one in _of_target(standing, target, known)]
    run = next(target["target_id"] for target in known.targets_of_run if target["scope"] == "trace")
    nothing = "the run belongs to no session" if scope == "session" else "the run records no tools that were offered"
    return [Explanation(evaluator=evaluator.name, target_id=run, about=scope, state="left_out", because=nothing)]


def from_others(standings: Sequence[Standing], known: Known) -> list[Explanation]:
    """The verdicts of people, of other systems, and of evaluators that are not among `standings`."""
    names = {standing.evaluator.name for standing in standings}
    others = [row for row in known.verdicts_on_targets if row["evaluator_kind"] in _FROM_OTHERS]
    former = [
        {**row, "because": "; ".join(filter(None, ["not configured any more", row["because"]]))}
        for row in known.verdicts_on_targets
        if row["evaluator_kind"] not in _FROM_OTHERS and row["evaluator"] not in names
    ]
    return [_verdict(row, _about_verdict(row, row["target_id"].partition(":")[2])) for row in (*others, *former)]


def told_at(time: datetime) -> str:
    """A time of the store, for people."""
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"


def _of_target(standing: Standing, target: Row, known: Known) -> Iterator[Explanation]:
    evaluator = standing.evaluator
    ours = [
        row
        for row in known.verdicts_on_targets
        if row["about"] == target["target_id"]
        and row["evaluator"] == evaluator.name
        and row["scope"] == evaluator.scope
        and row["evaluator_kind"] not in _FROM_OTHERS
    ]
    present = [row for row in ours if _is_present(row, standing, target)]
    if present:
        yield from (_verdict(row, _about_verdict(row, target["name"])) for row in present)
        return
    reason = _reason(standing, target, known)
    yield Explanation(
        evaluator=evaluator.name,
        target_id=target["target_id"],
        about=_about(target["scope"], target["name"]),
        state=reason.state,
        because="; ".join([reason.because, *map(_still_in_force, ours[:1])]),
        until=reason.until,
    )


def _is_present(row: Row, standing: Standing, target: Row) -> bool:
    """Whether a verdict is by the evaluator as it is now, and on the target as it is now."""
    evaluator = standing.evaluator
    is_of_form = (row["evaluator_version"], row["config_hash"]) == (evaluator.version, evaluator.config_hash)
    return is_of_form and row["revision"] == target["revision"]


def _reason(standing: Standing, target: Row, known: Known) -> _Reason:
    """The first of the reasons that holds, in the order in which a pass meets them."""
    if standing.seq is None:
        return _Reason("not_enrolled", "no server has run with the evaluator in this form")
    for reason_of in (_others_first, _put_off, _left_out, _older, _passed_over, _ahead):
        if reason := reason_of(standing, target, known):
            return reason
    if standing.evaluator.only_with_reference:
        return _Reason("silent", "judged only where something is expected; here nobody said what")
    return _Reason("missing", "looked at, and yet without a verdict: `tracegrade doctor --ledger` audits that")


def _others_first(standing: Standing, target: Row, known: Known) -> _Reason | None:
    """Those that the evaluator comes after are not all through with what it has still to judge."""
    if not (target["seq"] > (standing.seq or 0) or _later(standing, target, known)):
        return None
    for other in standing.after:
        if other.seq is None:
            reason: _Reason | None = _Reason("waiting", "no server has run with it in this form")
        else:
            reason = next(filter(None, (of(other, target, known) for of in (_others_first, _put_off, _ahead))), None)
        if reason:
            told = f"waits for {other.evaluator.name}: {reason.because}"
            return _Reason("waiting", "; ".join([told, *_paused(standing)]), reason.until)
    return None


def _put_off(standing: Standing, target: Row, known: Known) -> _Reason | None:
    """It waits for its time. A newer revision than the one that was put off is a new target."""
    row = _later(standing, target, known)
    if row is None or (target["scope"] != "session" and target["seq"] > (standing.seq or 0)):
        return None
    paused = _paused(standing)
    if row["not_before"] > known.now:
        told = f"put off until {told_at(row['not_before'])}: {row['reason']}"
        return _Reason("waiting", "; ".join([told, *paused]), row["not_before"])
    if row["priority"] == BACKFILL:
        told = f"asked for by a backfill, of which {standing.backfill} are left; what is new goes before"
    else:
        told = f"it was put off ({row['reason']}), and the next pass looks again"
    return _Reason("waiting", "; ".join([told, *paused]))


def _later(standing: Standing, target: Row, known: Known) -> Row | None:
    rows = (row for row in known.put_off_targets if row["evaluator"] == standing.evaluator.name)
    return next((row for row in rows if row["target_id"] == target["target_id"]), None)


def _paused(standing: Standing) -> list[str]:
    return [f"the evaluator is paused since {told_at(standing.paused_at)}"] if standing.paused_at else []


def _left_out(standing: Standing, target: Row, known: Known) -> _Reason | None:
    """`sample` and `when` do not select it. They are asked now; what they said then is kept nowhere."""
    evaluator, target_id = standing.evaluator, target["target_id"]
    is_sampled, is_in_rest = is_in_sample(evaluator, target_id), is_in_else_sample(evaluator, target_id)
    by_sample = _Reason("left_out", f"left out by `sample: {evaluator.sample:g}`")
    if evaluator.when is None or not (is_sampled or evaluator.else_sample):
        return None if is_sampled else by_sample
    try:
        if known.met(evaluator, target_id):
            return None if is_sampled else by_sample
    except ValueError as cause:
        return _Reason("left_out", f"its condition `when: {evaluator.when}` cannot be told: {cause}")
    rest = f" and `else_sample: {evaluator.else_sample:g}`" if evaluator.else_sample else ""
    return None if is_in_rest else _Reason("left_out", f"left out by `when: {evaluator.when}`{rest}")


def _older(standing: Standing, target: Row, _: Known) -> _Reason | None:
    """It was there before the evaluator came."""
    if standing.enrolled_at is None or target["seq"] > (standing.first_seq or 0):
        return None
    told = f"older than the evaluator, which came in this form on {told_at(standing.enrolled_at)}"
    return _Reason("older", "; ".join([told, *_remedy(target)]))


def _passed_over(standing: Standing, target: Row, _: Known) -> _Reason | None:
    """It was looked at when the evaluator did not select as it does now; what it said then is kept nowhere."""
    if target["seq"] > (standing.selected_seq or 0):
        return None
    since = f"which came on {told_at(standing.selected_at)}" if standing.selected_at else "with which no server has run"
    told = f"looked at before the present `when` and `sample`, {since}, and left out then"
    return _Reason("passed_over", "; ".join([told, *_remedy(target)]))


def _remedy(target: Row) -> list[str]:
    return ["`tracegrade backfill` asks for it"] if target["scope"] == "trace" else []


def _ahead(standing: Standing, target: Row, known: Known) -> _Reason | None:
    """The evaluator has not come so far."""
    if target["seq"] <= (standing.seq or 0):
        return None
    if standing.paused_at:
        resume = f"`tracegrade evaluators {standing.evaluator.name} --resume` lets it go on where it stopped"
        return _Reason("paused", f"paused since {told_at(standing.paused_at)}; {resume}")
    if opens_at := standing.opens_at(known.now):
        return _Reason(
            "scheduled", f"its schedule `{standing.evaluator.schedule}` comes by {told_at(opens_at)}", opens_at
        )
    if standing.evaluator.kind == "llm" and (settled_at := target["assembled_at"] + known.judge_settle) > known.now:
        return _Reason("settling", f"the run settles until {told_at(settled_at)}, for the verdict costs", settled_at)
    return _Reason("behind", f"not looked at yet: the evaluator is {standing.new} behind")


def _verdict(row: Row, about: str) -> Explanation:
    return Explanation(
        evaluator=row["evaluator"],
        target_id=row["target_id"],
        about=about,
        state=row["status"],
        because=row["because"],
        value=row["value"],
        label=row["label"],
        passed=row["passed"],
        author=row["author"] if row["evaluator_kind"] in _FROM_OTHERS else None,
    )


def _about_verdict(row: Row, name: str | None) -> str:
    position = row["tool_call_position"]
    return f"call {position}" if position is not None else _about(row["scope"], name)


def _about(scope: str, name: str | None) -> str:
    """What is judged, in words."""
    return f"{scope} {name}" if scope in {"session", "tool"} else "run"


def _still_in_force(row: Row) -> str:
    said = row["status"] if row["value"] is None else f"{row['value']:.2f}"
    revision = "" if row["revision"] is None else f" on revision {row['revision']}"
    return f"in force is {said}{revision}, by version {row['evaluator_version']} of {told_at(row['scored_at'])}"
