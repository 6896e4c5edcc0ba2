"""Results in Floeval's shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.formats.floeval import Sample

from .metrics import Metric

__all__ = ["AgentEvaluationResult", "make_result"]


@dataclass(frozen=True, slots=True)
class AgentEvaluationResult:
    """`sample_results` has for each sample `user_input`, `final_response`, `reference_outcome`, `metrics` (by name:
    `score`, None if there is none, and `metadata`), and its `metadata` if it has some. `summary` has the mean of each
    metric over the samples with a score.
    """

    sample_results: Sequence[Mapping[str, Any]]
    summary: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as it is written to a file."""
        return {"sample_results": list(self.sample_results), "summary": dict(self.summary)}


def make_result(
    samples: Sequence[Sample], runs: Sequence[ExperimentRun], metrics: Sequence[Metric]
) -> AgentEvaluationResult:
    """Make the result of runs, one for each sample."""
    rows = [_describe_sample(sample, run, metrics) for sample, run in zip(samples, runs, strict=True)]
    scores = {
        metric.key: [score for row in rows if (score := row["metrics"][metric.key]["score"]) is not None]
        for metric in metrics
    }
    return AgentEvaluationResult(rows, {key: fmean(values) for key, values in scores.items() if values})


def _describe_sample(sample: Sample, run: ExperimentRun, metrics: Sequence[Metric]) -> dict[str, Any]:
    by_evaluator = {score.evaluator: score for score in run.scores}
    return {
        "user_input": sample.user_input,
        "final_response": run.run.final_response if run.run else None,
        "reference_outcome": sample.reference_outcome,
        "metrics": {
            metric.key: _describe_score(by_evaluator.get(metric.evaluator.name), run.cause) for metric in metrics
        },
        **({"metadata": sample.metadata} if sample.metadata else {}),
    }


def _describe_score(score: ScoreRecord | None, cause: str | None) -> dict[str, Any]:
    if score is None or score.value is None:
        reason = cause or (score.reason if score else None) or "it was not evaluated"
        return {"score": None, "metadata": {"error": reason}}
    known = {"reasoning": score.explanation, "passed": score.passed, "threshold": score.threshold, "label": score.label}
    return {"score": score.value, "metadata": {key: value for key, value in known.items() if value is not None}}
