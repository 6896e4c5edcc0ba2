"""The scores on a run, each with what it replaced and what its judge was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...answers.run import RunDetail
from ...answers.score import Score
from ...read.story import JudgeCall
from .numbering import Numbering

__all__ = ["Grade", "Grades", "anchor_of_score", "arrange_scores"]

_SCORED: Final = "scored"
_LISTING: Final = frozenset({"tool_error", "tool_call_validity"})
_BAD_CALLS: Final = frozenset({"error", "invalid"})
_HUMAN: Final = "human"
_PEOPLE: Final = frozenset({_HUMAN, "external"})


@dataclass(frozen=True, slots=True)
class Grade:
    """A score with those that it replaced, newest first, and the questions to its judge."""

    score: Score
    anchor: str
    history: tuple[Score, ...]
    judge_calls: tuple[JudgeCall, ...]

    @property
    def is_failing(self) -> bool:
        """Whether the target did not pass."""
        return self.score.passed is False

    @property
    def is_removable(self) -> bool:
        """Whether a person may take it back."""
        return self.score.evaluator_kind in _PEOPLE


@dataclass(frozen=True, slots=True)
class Grades:
    """Scores by what they judge: the run, its calls (by number), its sub-agents (by id); the worst come first.

    `notes` says by call what scores of the run found in it. `skipped` are those without a value.
    """

    of_run: tuple[Grade, ...]
    of_calls: Mapping[int, tuple[Grade, ...]]
    of_runs: Mapping[str, tuple[Grade, ...]]
    notes: Mapping[int, tuple[tuple[str, str], ...]]
    skipped: tuple[Grade, ...]

    @property
    def all(self) -> list[Grade]:
        """All that have a value or a label, the worst first."""
        grades = [
            *self.of_run,
            *(each for some in (self.of_calls, self.of_runs) for list_ in some.values() for each in list_),
        ]
        return sorted(grades, key=_rank)

    def list_holders(self, numbering: Numbering) -> dict[str, str]:
        """Return the anchors of the calls and sub-agents that scores are shown in, by the anchor of the score."""
        in_calls = {each.anchor: f"call-{number}" for number, grades in self.of_calls.items() for each in grades}
        in_runs = {each.anchor: numbering.anchor(id_) for id_, grades in self.of_runs.items() for each in grades}
        return {**in_calls, **in_runs}


def anchor_of_score(score: Score) -> str:
    """Return the id of a score on the page."""
    return f"score-{re.sub(r'[^A-Za-z0-9_-]', '-', score.evaluator)}-{score.score_id[:8]}"


def arrange_scores(run: RunDetail, judge_calls: Sequence[JudgeCall], numbering: Numbering) -> Grades:
    """Return the scores of a run by what they judge."""
    of_run: list[Grade] = []
    of_calls: dict[int, list[Grade]] = {}
    of_runs: dict[str, list[Grade]] = {}
    skipped: list[Grade] = []
    for grade in sorted((_make_grade(score, run, judge_calls) for score in run.scores or []), key=_rank):
        call = numbering.find_call(grade.score.agent_trace_id, grade.score.tool_call_position)
        if grade.score.status == "skipped":
            skipped.append(grade)
        elif call is not None:
            of_calls.setdefault(call.position + 1, []).append(grade)
        elif grade.score.agent_trace_id in {None, run.agent_trace_id}:
            of_run.append(grade)
        else:
            of_runs.setdefault(str(grade.score.agent_trace_id), []).append(grade)
    return Grades(tuple(of_run), _freeze(of_calls), _freeze(of_runs), _find_notes(run, numbering), tuple(skipped))


def _freeze(grades: Mapping[Any, list[Grade]]) -> dict[Any, tuple[Grade, ...]]:
    return {key: tuple(values) for key, values in grades.items()}


def _make_grade(score: Score, run: RunDetail, judge_calls: Sequence[JudgeCall]) -> Grade:
    def is_of_same(other: Score) -> bool:
        return (other.target_id, other.evaluator, other.evaluator_kind, other.author) == (
            score.target_id,
            score.evaluator,
            score.evaluator_kind,
            score.author,
        )

    history = sorted(filter(is_of_same, run.superseded or []), key=lambda each: each.scored_at, reverse=True)
    target = score.agent_trace_id if score.scope == "tool_call" else score.target_id
    asked = [
        call
        for call in judge_calls
        if score.evaluator_kind == "llm"
        and (call.evaluator, call.target_id) == (score.evaluator, target)
        and (score.pass_id is None or call.pass_id in {None, score.pass_id})
    ]
    return Grade(score, anchor_of_score(score), tuple(history), tuple(asked))


def _rank(grade: Grade) -> tuple[int, float, str]:
    """Return the place of a grade: failing ones, errors, the others; then by value."""
    score = grade.score
    kind = 0 if grade.is_failing else 1 if score.status != _SCORED else 2
    return kind, 2.0 if score.value is None else score.value, score.evaluator


def _find_notes(run: RunDetail, numbering: Numbering) -> dict[int, tuple[tuple[str, str], ...]]:
    """Return by call the evaluators that found fault with it in a score of the run, and what they say."""
    notes: dict[int, list[tuple[str, str]]] = {}
    for score in run.scores or []:
        if score.evaluator_type not in _LISTING or not isinstance(score.details, dict):
            continue
        for listed in score.details.get("calls") or []:
            if not isinstance(listed, dict) or listed.get("status") not in _BAD_CALLS:
                continue
            call = numbering.find_call(score.agent_trace_id, listed.get("position"))
            if call is not None:
                notes.setdefault(call.position + 1, []).append((score.evaluator, _explain(listed)))
    return {number: tuple(dict.fromkeys(found)) for number, found in notes.items()}


def _explain(listed: Mapping[str, Any]) -> str:
    faults = "; ".join(map(str, listed.get("faults") or []))
    return faults or str(listed.get("error") or listed.get("status"))
