"""Compares new scores with those under the same name: of people, and of the active evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows, split
from ..feedback.model import PASSED_BY_LABEL
from .statistics import Agreement, count_agreement

__all__ = [
    "ActiveComparison",
    "Change",
    "PeopleComparison",
    "compare_with_active",
    "compare_with_people",
    "read_compared_scores",
]

Row: TypeAlias = Mapping[str, Any]

_TARGETS: Final = 2_000
"""The number of targets in one query: their ids must fit into a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A target that passes now and did not before, or the reverse."""

    target_id: str
    agent_name: str | None
    value: float | None
    explanation: str | None
    value_before: float | None
    explanation_before: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleComparison:
    """`annotations` counts the scores of people on these targets; `agreement` is over those where both sides passed or
    failed the target, the preview first. Several people on one target make several pairs."""

    annotations: int
    targets: int
    agreement: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveComparison:
    """The preview compared with the active scores of the same revisions. `is_same` says whether the active evaluator
    has the version, options and threshold of the previewed one.

    `agreement` is over targets that both passed or failed, the preview first; `newly_scored` and `no_longer_scored` are
    scored by only one side.
    """

    targets: int
    is_same: bool
    agreement: Agreement
    newly_failing: Sequence[Change]
    newly_passing: Sequence[Change]
    newly_scored: int
    no_longer_scored: int


def read_compared_scores(read: Read, evaluator: str, target_ids: Iterable[str]) -> list[Row]:
    """Read the report `scores_to_compare` for the evaluator's name on these targets; per target, the newest last."""
    targets = list(dict.fromkeys(target_ids))
    return [
        row
        for part in split(targets, _TARGETS)
        for row in all_rows(read, report("scores_to_compare"), evaluator=evaluator, target_ids=list(part))
    ]


def compare_with_people(scores: Iterable[ScoreRecord], rows: Iterable[Row]) -> PeopleComparison | None:
    """Compare with the scores of people; None if no person scored any of the targets under this name."""
    by_target = {score.target_id: score for score in scores}
    humans = [row for row in rows if row["evaluator_kind"] == "human" and row["target_id"] in by_target]
    if not humans:
        return None
    pairs = []
    for row in humans:
        score = by_target[row["target_id"]]
        person_passed = _is_passed_by_person(row, score)
        if score.status == "scored" and score.passed is not None and person_passed is not None:
            pairs.append((score.passed, person_passed))
    return PeopleComparison(
        annotations=len(humans), targets=len({row["target_id"] for row in humans}), agreement=count_agreement(pairs)
    )


def compare_with_active(scores: Iterable[ScoreRecord], rows: Iterable[Row]) -> ActiveComparison | None:
    """Compare with the active scores; None if the active evaluator has none on these targets."""
    before = {row["target_id"]: row for row in rows if row["evaluator_kind"] not in {"human", "external"}}
    both = [
        (score, before[score.target_id])
        for score in scores
        if score.target_id in before and score.revision == before[score.target_id]["revision"]
    ]
    if not both:
        return None
    passed = [(score, row) for score, row in both if score.passed is not None and row["passed"] is not None]
    return ActiveComparison(
        targets=len(both),
        is_same=all((row["evaluator_version"], row["config_hash"]) == _identify(score) for score, row in both),
        agreement=count_agreement((bool(score.passed), bool(row["passed"])) for score, row in passed),
        newly_failing=[_build_change(score, row) for score, row in passed if row["passed"] and not score.passed],
        newly_passing=[_build_change(score, row) for score, row in passed if score.passed and not row["passed"]],
        newly_scored=sum(score.status == "scored" and row["status"] != "scored" for score, row in both),
        no_longer_scored=sum(score.status != "scored" and row["status"] == "scored" for score, row in both),
    )


def _is_passed_by_person(row: Row, score: ScoreRecord) -> bool | None:
    """Decide as the view `calibration_pairs`: by `passed` of the person; else by whether their value, or the value of
    their label, reaches the evaluator's threshold; else by a label that is pass or fail itself."""
    if row["passed"] is not None:
        return bool(row["passed"])
    if row["value"] is not None and score.threshold is not None:
        return bool(row["value"] >= score.threshold)
    label = _fold(row["label"])
    labels = score.details.get("labels")
    worth = {_fold(name): value for name, value in labels.items()} if isinstance(labels, dict) else {}
    if isinstance(value := worth.get(label), (int, float)) and score.threshold is not None:
        return value >= score.threshold
    return PASSED_BY_LABEL.get(label)


def _fold(label: object) -> str:
    return str(label or "").strip().lower()


def _identify(score: ScoreRecord) -> tuple[int, str]:
    return score.evaluator_version, score.config_hash


def _build_change(score: ScoreRecord, row: Row) -> Change:
    return Change(
        target_id=score.target_id,
        agent_name=score.agent_name,
        value=score.value,
        explanation=score.explanation or score.reason,
        value_before=row["value"],
        explanation_before=row["because"],
    )
