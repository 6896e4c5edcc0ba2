"""GDP Labs' gllm-evals: an agent's tools and its answer in one score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, ClassVar, Final, Literal, NamedTuple

from pydantic import Field, ImportString

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...formats.tool_names import ToolNames
from ...llm.base import Judged
from ...model import AgentTrace, JsonObject, Score
from ..deepeval import ToolCorrectness
from .generation import PROMPTS, Grade, graded_answer

__all__ = ["Agent", "Aggregate", "MetricResult", "aggregate", "combined"]


class MetricResult(NamedTuple):
    """The score of one metric, None if it has none; `success` is None if the metric does not decide it."""

    score: float | None
    success: bool | None
    higher_is_better: bool = True


class Aggregate(NamedTuple):
    """The combined score of several metrics."""

    score: float
    success: bool


_NO_JUDGE: Final = "the answer needs a judge: name one under `judge`, or under `generation` a function that grades it"
_PASSES: Final = 0.5
_WORDS: Final = {"multiply": "multiply_score", "average": "avg_score", "aggregate": "aggregate_score"}


@evaluator(
    "gl:agent",
    version=1,
    source="documentation of gllm-evals' AgentEvaluator (multiply_score, avg_score); gllm-evals 0.1.20 (aggregate)",
    reads=(
        "tool_calls",
        "reference.expected_tool_calls",
        "gaps",
        "input",
        "final_response",
        "reference.expected_response",
    ),
    skipped_when="the tools or the answer cannot be judged",
    threshold=0.5,
)
class Agent(Judged):
    """How well an agent did: tool correctness and the quality of its answer, multiplied, averaged or aggregated.

    The tools are graded by deepeval:tool_correctness with the options under `tool_correctness`; the answer by a judge,
    or by the function `generation`, which is given the whole run. If either has no grade, the run is skipped. The judge
    grades completeness (against the expected response), groundedness (in the results of tools) and redundancy from 1 to
    3, mapped to [0, 1], each only if what it needs was recorded; lower redundancy is better. The quality of the answer
    is the mean of the three, with redundancy inverted.

    `details` has all combinations: `multiply_score`, `avg_score`, and `aggregate_score`, the mean over the tools and
    each of the metrics, with `aggregate_success`: all of them passed their own thresholds (tools 0.5, completeness and
    groundedness 1, redundancy at most 0.5). A score of the trajectory never counts.

    gllm-evals removes random endings from the names of tools; here that is off unless `tool_names` enables it.
    """

    prompts: ClassVar[tuple[str, ...]] = (*PROMPTS, "tool_selection")

    how: Literal["multiply", "average", "aggregate"] = Field(
        default="multiply", description="which combination is the score: multiply, average, or aggregate"
    )
    tool_correctness: ToolCorrectness = Field(
        default=ToolCorrectness(), description="the options of deepeval:tool_correctness"
    )
    generation: ImportString[Callable[[AgentTrace], Any]] | None = Field(
        default=None,
        description="`module:function` that grades the answer instead of the judge: a number in [0, 1], or None if it "
        "cannot",
    )
    tool_names: ToolNames = Field(
        default=ToolNames(),
        description="the random ending that is cut from names on both sides: mixed4, any4 or a regular expression",
    )

    @property
    def decided_by(self) -> str | None:
        return "`how: aggregate`" if self.how == "aggregate" else None

    @property
    def must_ask(self) -> bool:
        return self.generation is None or self.tool_correctness.must_ask

    def __call__(self, trace: AgentTrace) -> Score:
        if self.generation is None:
            return Score.skip(_NO_JUDGE)
        tools = self.tool_correctness(self.tool_names.applied(trace))
        return self._by_function(trace, tools, self.generation)

    def ask(self, trace: AgentTrace) -> Dialogue:
        tools = yield from self.tool_correctness.ask(self.tool_names.applied(trace))
        if self.generation is not None or tools.value is None:
            return self._by_function(trace, tools, self.generation)
        if trace.final_response is None:
            return self._score(tools, None, {})
        grades = yield from graded_answer(trace, max_characters=self.max_evidence_characters)
        return self._by_judge(tools, grades)

    def _by_function(self, trace: AgentTrace, tools: Score, generation: Callable[[AgentTrace], Any] | None) -> Score:
        answer = _graded(generation(trace)) if tools.value is not None and generation is not None else None
        results = {} if answer is None else {"generation": MetricResult(answer, answer >= _PASSES)}
        return self._score(tools, answer, results)

    def _by_judge(self, tools: Score, grades: Sequence[Grade]) -> Score:
        results = {
            grade.metric.name: MetricResult(grade.score, grade.success, grade.metric.higher_is_better)
            for grade in grades
        }
        answer = aggregate(results).score if results else None
        score = self._score(tools, answer, results)
        metrics = {grade.metric.name: grade.as_details for grade in grades}
        left_out = [name for name in PROMPTS if name not in metrics]
        return score.model_copy(update={"details": {**score.details, "metrics": metrics, "not_judged": left_out}})

    def _score(self, tools: Score, generation: float | None, results: Mapping[str, MetricResult]) -> Score:
        graded: JsonObject = {"tool_correctness": tools.value, "tool_correctness_details": tools.details}
        if tools.value is None:
            return Score.skip(f"tool correctness: {tools.reason}", **graded)
        if generation is None:
            return Score.skip("the generation evaluator could not grade the answer", **graded)
        whole = aggregate({"tool_correctness": MetricResult(tools.value, tools.value >= _PASSES), **results})
        both = combined(tools.value, generation) | {"aggregate_score": whole.score}
        return Score(
            value=both[_WORDS[self.how]],
            passed=whole.success if self.how == "aggregate" else None,
            explanation=f"tools {tools.value:.2g} ({tools.explanation or 'no reason asked for'}), "
            f"answer {generation:.2g}",
            details={**graded, "generation": generation, **both, "aggregate_success": whole.success},
        )


def combined(tool_correctness: float, generation: float) -> dict[str, float]:
    """Return `multiply_score` and `avg_score` of two scores in [0, 1]. Source: the documentation of gllm-evals."""
    return {
        "multiply_score": tool_correctness * generation,
        "avg_score": (tool_correctness + generation) / 2,
    }


def aggregate(results: Mapping[str, MetricResult]) -> Aggregate:
    """Return the mean of the scores, inverted where lower is better, and whether every metric succeeded.

    A metric without a score is left out of the mean and did not succeed. Without any score, the mean is 0, without
    success. Source: gllm-evals 0.1.20 MetricsAggregator
    """
    qualities = [
        result.score if result.higher_is_better else 1 - result.score
        for result in results.values()
        if result.score is not None
    ]
    if not qualities:
        return Aggregate(score=0.0, success=False)
    return Aggregate(
        score=fmean(qualities), success=all(result.success and result.score is not None for result in results.values())
    )


def _graded(value: object) -> float | None:
    """Return the grade of a generation evaluator, None if it gave none. Raises ValueError for anything else."""
    if value is None:
        return None
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("the generation evaluator must return a number in [0, 1], or None if it cannot grade")
    return float(value)
