"""Why an evaluator has, or has not, a score on a run and what is around it: told from what the store holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from .backlog import Standing
from .facts import Known, Row
from .reasons import State, reason, told_at

__all__ = ["Explanation", "explain", "from_others"]

_FROM_OTHERS = {"human", "external"}

_WHY = {
    "not_selected": "the present revision is not selected",
    "no_reference": "nothing is expected of the present revision",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What became of one target: a score, or the reason why there is none; `until`: when that is over (UTC)."""

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


def explain(standing: Standing, known: Known) -> list[Explanation]:
    """What became of the targets that the evaluator judges: the run, or its session, or each tool that it offered.

    One for each target, or for each call that has a score of its own; one that says so if nothing is of its scope.
    """
    evaluator = standing.evaluator
    scope = "trace" if evaluator.scope == "tool_call" else evaluator.scope
    ours = [target for target in known.targets_of_run if target["scope"] == scope]
    if ours:
        return [one for target in ours for one in _of_target(standing, target, known)]
    run = next(target["target_id"] for target in known.targets_of_run if target["scope"] == "trace")
    nothing = "the run belongs to no session" if scope == "session" else "the run records no tools that were offered"
    return [Explanation(evaluator=evaluator.name, target_id=run, about=scope, state="excluded", because=nothing)]


def from_others(standings: Sequence[Standing], known: Known) -> list[Explanation]:
    """The scores of people, of other systems, and of evaluators that are not among `standings`."""
    names = {standing.evaluator.name for standing in standings}
    others = [row for row in known.scores_on_targets if row["evaluator_kind"] in _FROM_OTHERS]
    former = [
        {**row, "because": "; ".join(filter(None, ["no longer configured", row["because"]]))}
        for row in known.scores_on_targets
        if row["evaluator_kind"] not in _FROM_OTHERS and row["evaluator"] not in names
    ]
    return [_score(row, _about_score(row, row["target_id"].partition(":")[2])) for row in (*others, *former)]


def _of_target(standing: Standing, target: Row, known: Known) -> Iterator[Explanation]:
    evaluator = standing.evaluator
    ours = [
        row
        for row in known.scores_on_targets
        if row["about"] == target["target_id"]
        and row["evaluator"] == evaluator.name
        and row["scope"] == evaluator.scope
        and row["evaluator_kind"] not in _FROM_OTHERS
    ]
    present = [row for row in ours if _is_present(row, standing, target)]
    if present:
        yield from (_score(row, _about_score(row, target["name"])) for row in present)
        return
    why = reason(standing, target, known)
    yield Explanation(
        evaluator=evaluator.name,
        target_id=target["target_id"],
        about=_about(target["scope"], target["name"]),
        state=why.state,
        because="; ".join([why.because, *map(_still_active, ours[:1]), *_superseded(standing, known)]),
        until=why.until,
    )


def _is_present(row: Row, standing: Standing, target: Row) -> bool:
    """Whether a score is by the evaluator as it is now, and on the target as it is now."""
    evaluator = standing.evaluator
    is_of_form = (row["evaluator_version"], row["config_hash"]) == (evaluator.version, evaluator.config_hash)
    return is_of_form and row["revision"] == target["revision"]


def _score(row: Row, about: str) -> Explanation:
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


def _about_score(row: Row, name: str | None) -> str:
    position = row["tool_call_position"]
    return f"call {position}" if position is not None else _about(row["scope"], name)


def _about(scope: str, name: str | None) -> str:
    """What is judged, in words."""
    return f"{scope} {name}" if scope in {"session", "tool"} else "run"


def _superseded(standing: Standing, known: Known) -> Iterator[str]:
    """The score on an earlier revision of the run that does not count any more, and why."""
    if standing.evaluator.scope not in {"trace", "tool_call"}:
        return
    for row in known.superseded_scores_of_run:
        if row["evaluator"] == standing.evaluator.name:
            value = row["score"] if row["value"] is None else f"{row['value']:.2f}"
            yield (
                f"superseded is {value} on revision {row['revision']}, since {told_at(row['superseded_at'])}: "
                f"{_WHY[row['because']]}"
            )
            return


def _still_active(row: Row) -> str:
    said = row["status"] if row["value"] is None else f"{row['value']:.2f}"
    revision = "" if row["revision"] is None else f" on revision {row['revision']}"
    return f"active is {said}{revision}, by version {row['evaluator_version']} of {told_at(row['scored_at'])}"
