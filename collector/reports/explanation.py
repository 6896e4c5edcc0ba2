"""Explains why an evaluator has a score on a run, its session or a tool, or has none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..clock import format_time
from .backlog import Standing
from .facts import Row, RunFacts
from .reasons import State, describe_experiment, find_reason

__all__ = ["Explanation", "explain", "explain_others"]

_FROM_OTHERS = {"human", "external"}

_WHY = {
    "not_selected": "the present revision is not selected",
    "no_reference": "nothing is expected of the present revision",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A score on one target, or the reason why there is none; `until` is when that reason ends (UTC)."""

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


def explain(standing: Standing, facts: RunFacts) -> list[Explanation]:
    """Explain the evaluator on its targets: the run, its session, or each tool that the run offered.

    The result has one explanation per target, or per call that has its own score; a single one without a target.
    """
    evaluator = standing.evaluator
    scope = "trace" if evaluator.scope == "tool_call" else evaluator.scope
    targets = [target for target in facts.targets_of_run if target["scope"] == scope]
    if targets:
        return [explanation for target in targets for explanation in _explain_target(standing, target, facts)]
    run = next(target for target in facts.targets_of_run if target["scope"] == "trace")
    cause = "the run belongs to no session" if scope == "session" else "the run records no tools that were offered"
    cause = describe_experiment(run) or cause
    excluded = Explanation(
        evaluator=evaluator.name, target_id=run["target_id"], about=scope, state="excluded", because=cause
    )
    return [excluded]


def explain_others(standings: Sequence[Standing], facts: RunFacts) -> list[Explanation]:
    """Return the scores of people, of other systems, and of evaluators that are not among `standings`."""
    names = {standing.evaluator.name for standing in standings}
    external = [row for row in facts.scores_on_targets if row["evaluator_kind"] in _FROM_OTHERS]
    former = [
        {**row, "because": "; ".join(filter(None, [_describe_other(row), row["because"]]))}
        for row in facts.scores_on_targets
        if row["evaluator_kind"] not in _FROM_OTHERS and row["evaluator"] not in names
    ]
    rows = (*external, *former)
    return [_explain_score(row, _describe_scored(row, row["target_id"].partition(":")[2])) for row in rows]


def _describe_other(row: Row) -> str:
    """Describe why the evaluator of a score is not among those of the configuration."""
    return "no longer configured" if row["experiment_id"] is None else f"in experiment {row['experiment_id']}"


def _explain_target(standing: Standing, target: Row, facts: RunFacts) -> Iterator[Explanation]:
    evaluator = standing.evaluator
    scores = [
        row
        for row in facts.scores_on_targets
        if row["about"] == target["target_id"]
        and row["evaluator"] == evaluator.name
        and row["scope"] == evaluator.scope
        and row["evaluator_kind"] not in _FROM_OTHERS
    ]
    present = [row for row in scores if _is_present(row, standing, target)]
    if present:
        yield from (_explain_score(row, _describe_scored(row, target["name"])) for row in present)
        return
    reason = find_reason(standing, target, facts)
    yield Explanation(
        evaluator=evaluator.name,
        target_id=target["target_id"],
        about=_describe_target(target["scope"], target["name"]),
        state=reason.state,
        because="; ".join([reason.because, *map(_describe_active, scores[:1]), *_describe_superseded(standing, facts)]),
        until=reason.until,
    )


def _is_present(row: Row, standing: Standing, target: Row) -> bool:
    """Return whether a score is by the present form of the evaluator, on the present revision of the target."""
    evaluator = standing.evaluator
    is_of_form = (row["evaluator_version"], row["config_hash"]) == (evaluator.version, evaluator.config_hash)
    return is_of_form and row["revision"] == target["revision"]


def _explain_score(row: Row, about: str) -> Explanation:
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


def _describe_scored(row: Row, name: str | None) -> str:
    position = row["tool_call_position"]
    return f"call {position}" if position is not None else _describe_target(row["scope"], name)


def _describe_target(scope: str, name: str | None) -> str:
    """Describe the target in words."""
    return f"{scope} {name}" if scope in {"session", "tool"} else "run"


def _describe_superseded(standing: Standing, facts: RunFacts) -> Iterator[str]:
    """Yield a text on the superseded score on an earlier revision of the run, and why it was superseded."""
    if standing.evaluator.scope not in {"trace", "tool_call"}:
        return
    for row in facts.superseded_scores_of_run:
        if row["evaluator"] == standing.evaluator.name:
            value = row["result"] if row["value"] is None else f"{row['value']:.2f}"
            yield (
                f"superseded is {value} on revision {row['revision']}, since {format_time(row['superseded_at'])}: "
                f"{_WHY[row['because']]}"
            )
            return


def _describe_active(row: Row) -> str:
    result = row["status"] if row["value"] is None else f"{row['value']:.2f}"
    revision = "" if row["revision"] is None else f" on revision {row['revision']}"
    return f"active is {result}{revision}, by version {row['evaluator_version']} of {format_time(row['scored_at'])}"
