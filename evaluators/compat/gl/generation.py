"""The grades of an answer in gllm-evals: is it complete, grounded, and free of repetition?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ...definition.dialogue import Answer, Question
from ...llm.answer_parsing import REASON, form
from ...llm.base import has, make_question
from ...llm.evidence import Evidence, evidence
from ...llm.geval import expected_score
from ...model import AgentTrace, JsonObject
from .aggregation import MetricResult

__all__ = ["METRICS", "PROMPTS", "Grade", "Metric", "graded_answer", "results_of"]

_SCALE: Final = (1, 3)
_FORM: Final = form(reason=REASON, score={"type": "integer", "minimum": _SCALE[0], "maximum": _SCALE[1]})


class Metric(NamedTuple):
    """One of the three metrics. `needs` are the parts of a run that it requires."""

    name: str
    needs: tuple[str, ...]
    threshold: float
    higher_is_better: bool = True


METRICS: Final = (
    Metric("completeness", ("input", "final_response", "reference.expected_response"), 1.0),
    Metric("groundedness", ("input", "final_response", "tool_calls"), 1.0),
    Metric("redundancy", ("input", "final_response"), 0.5, higher_is_better=False),
)
PROMPTS: Final = tuple(metric.name for metric in METRICS)


@dataclass(frozen=True, slots=True)
class Grade:
    """The `score` of one metric, in [0, 1], and its details."""

    metric: Metric
    score: float
    details: JsonObject

    @property
    def success(self) -> bool:
        if self.metric.higher_is_better:
            return self.score >= self.metric.threshold
        return self.score <= self.metric.threshold

    @property
    def quality(self) -> float:
        """The score, inverted if lower is better."""
        return self.score if self.metric.higher_is_better else 1 - self.score

    @property
    def as_details(self) -> JsonObject:
        """The grade in the form of a score's details."""
        return {"score": self.score, "success": self.success, **self.details}


def graded_answer(
    trace: AgentTrace, *, max_characters: int, among: Sequence[Metric] = METRICS
) -> Generator[Sequence[Question], Sequence[Answer], list[Grade]]:
    """Ask for the grades of those metrics of `among` whose needs were recorded, in one step; return them, maybe []."""
    metrics = [metric for metric in among if all(has(trace, part) for part in metric.needs)]
    if not metrics:
        return []
    shown = [evidence(trace, metric.needs, max_characters=max_characters) for metric in metrics]
    answers = yield [_question(metric, each) for metric, each in zip(metrics, shown, strict=True)]
    return [_grade(*graded) for graded in zip(metrics, shown, answers, strict=True)]


def results_of(grades: Sequence[Grade]) -> dict[str, MetricResult]:
    """Return the results of the graded metrics by name, as they are aggregated."""
    return {
        grade.metric.name: MetricResult(grade.score, grade.success, grade.metric.higher_is_better) for grade in grades
    }


def _question(metric: Metric, shown: Evidence) -> Question:
    return replace(make_question(metric.name, shown, _FORM), weighs=True)


def _grade(metric: Metric, shown: Evidence, answer: Answer) -> Grade:
    low, high = _SCALE
    raw = int(answer.value["score"])
    expected = expected_score(raw, answer.tokens, scale=_SCALE)
    details: JsonObject = {"rubric_score": raw, "weighted": expected is not None, "reason": answer.value["reason"]}
    score = ((raw if expected is None else expected) - low) / (high - low)
    return Grade(metric=metric, score=min(1.0, max(0.0, score)), details=details | shown.details)
