"""GDP Labs' gllm-evals: an agent's tools and its answer in one score."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from ...definition.dialogue import Answer, BadAnswer, Dialogue, Question, unusable
from ...definition.function_path import ConfiguredFunction
from ...definition.registry import evaluator
from ...formats.tool_names import ToolNames
from ...llm.base import Judged, Share
from ...llm.geval import GEval
from ...model import AgentTrace, JsonObject, Score
from ...text.validation_errors import at
from ..deepeval import ToolCorrectness
from ..langchain import TrajectoryAccuracy
from .aggregation import MetricResult, aggregate, combined
from .generation import PROMPTS, Grade, graded_answer, results_of

__all__ = ["Agent"]

_NO_JUDGE: Final = "the answer needs a judge: name one under `judge`, or under `generation` a function that grades it"
_PASSES: Final = 0.5
_WORDS: Final = {"multiply": "multiply_score", "average": "avg_score", "aggregate": "aggregate_score"}


class _Answer(NamedTuple):
    """The quality of an answer, None if it has no grade, with the metrics that it was found by and their details."""

    quality: float | None = None
    results: Mapping[str, MetricResult] = MappingProxyType({})
    details: Mapping[str, Any] = MappingProxyType({})


class AgentTools(ToolCorrectness):
    """The options of deepeval:tool_correctness, with the threshold that it has among the metrics of an agent."""

    threshold: Share = Field(default=_PASSES, description="the least tool correctness that is a success")


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
        "messages",
        "reference.expected_trajectory",
    ),
    skipped_when="the tools or the answer cannot be judged",
    threshold=0.5,
)
class Agent(Judged):
    """How well an agent did: tool correctness and the quality of its answer, multiplied, averaged or aggregated.

    The tools are graded by deepeval:tool_correctness with the options under `tool_correctness`; the answer by a judge,
    by geval with the options under `geval`, or by the function `generation`, which is given the whole run. If either
    has no grade, the run is skipped. The judge grades completeness (against the expected response), groundedness (in
    the results of tools) and redundancy from 1 to 3, mapped to [0, 1], each only if what it needs was recorded; lower
    redundancy is better. The quality of the answer is the mean of the three, with redundancy inverted. Each is also an
    evaluator: gl:completeness, gl:groundedness, gl:redundancy, and gl:generation for their mean.

    `details` has all combinations: `multiply_score`, `avg_score`, and `aggregate_score`, the mean over the tools and
    each of the metrics, with `aggregate_success`: all of them passed their own thresholds (tools 0.5, completeness and
    groundedness 1, redundancy at most 0.5). With `trajectory_accuracy` they also have the grade of
    langchain:trajectory_accuracy, which never counts.

    gllm-evals removes random endings from the names of tools; here that is off unless `tool_names` enables it.
    """

    prompts: ClassVar[tuple[str, ...]] = (*PROMPTS, "tool_selection", "geval", "geval_steps", "trajectory_accuracy")

    how: Literal["multiply", "average", "aggregate"] = Field(
        default="multiply", description="which combination is the score: multiply, average, or aggregate"
    )
    tool_correctness: AgentTools = Field(
        default=AgentTools(), description="the options of deepeval:tool_correctness, and its threshold"
    )
    generation: ConfiguredFunction[Callable[[AgentTrace], Any]] | None = Field(
        default=None,
        description="`module:function` that grades the answer instead of the judge: a number in [0, 1], or None if it "
        "cannot",
    )
    geval: GEval | None = Field(
        default=None, description="the options of geval, by which the judge grades the answer instead of the metrics"
    )
    trajectory_accuracy: TrajectoryAccuracy | None = Field(
        default=None,
        description="the options of langchain:trajectory_accuracy, whose grade is added to the details: {} for its "
        "defaults",
    )
    tool_names: ToolNames = Field(
        default=ToolNames(),
        description="the random ending that is cut from names on both sides: random4, mixed4, any4 or an expression",
    )

    @model_validator(mode="after")
    def _is_said_once(self) -> Self:
        if self.generation is not None and self.geval is not None:
            raise at("geval", fault="`generation` grades the answer; leave one of the two out")
        if self.tool_names.suffix is not None and self.tool_correctness.tool_names.suffix is not None:
            raise at("tool_names", fault="`tool_correctness` has it, too; write it once")
        return self

    @property
    def decided_by(self) -> str | None:
        return "`how: aggregate`" if self.how == "aggregate" else None

    @property
    def must_ask(self) -> bool:
        return self.generation is None or self.tool_correctness.must_ask or self.trajectory_accuracy is not None

    def __call__(self, trace: AgentTrace) -> Score:
        if self.generation is None:
            return Score.skip(_NO_JUDGE)
        tools = self.tool_correctness(self.tool_names.applied(trace))
        return self._score(tools, _Answer() if tools.value is None else _by_function(trace, self.generation))

    def ask(self, trace: AgentTrace) -> Dialogue:
        tools = yield from self.tool_correctness.ask(self.tool_names.applied(trace))
        try:
            answer = _Answer() if tools.value is None else (yield from self._ask_answer(trace))
        except BadAnswer as bad:
            computed = {"tool_correctness": tools.value, "tool_correctness_details": tools.details}
            raise BadAnswer(str(bad), bad.answer, computed) from bad
        score = self._score(tools, answer)
        return (yield from self._with_trajectory(trace, score))

    def _ask_answer(self, trace: AgentTrace) -> Generator[Sequence[Question], Sequence[Answer], _Answer]:
        if self.generation is not None:
            return _by_function(trace, self.generation)
        if trace.final_response is None:
            return _Answer()
        if self.geval is not None:
            return _by_geval((yield from self.geval.ask(trace)), threshold=self.geval.own_threshold or _PASSES)
        return _by_metrics((yield from graded_answer(trace, max_characters=self.max_evidence_characters)))

    def _with_trajectory(
        self, trace: AgentTrace, score: Score
    ) -> Generator[Sequence[Question], Sequence[Answer], Score]:
        """Return the score with the grade of the trajectory in its details, if it is asked for."""
        if self.trajectory_accuracy is None or score.value is None:
            return score
        try:
            accuracy = yield from self.trajectory_accuracy.ask(trace)
        except BadAnswer as bad:
            accuracy = unusable(bad)
        grade = {"score": accuracy.value, "reason": accuracy.explanation or accuracy.reason}
        return score.model_copy(update={"details": {**score.details, "trajectory_accuracy": grade}})

    def _score(self, tools: Score, answer: _Answer) -> Score:
        graded: JsonObject = {"tool_correctness": tools.value, "tool_correctness_details": tools.details}
        if tools.value is None:
            return Score.skip(f"tool correctness: {tools.reason}", **graded)
        if answer.quality is None:
            return Score.skip("the generation evaluator could not grade the answer", **graded)
        least = self.tool_correctness.own_threshold or self.tool_correctness.threshold
        whole = aggregate({"tool_correctness": MetricResult(tools.value, tools.value >= least), **answer.results})
        both = combined(tools.value, answer.quality) | {"aggregate_score": whole.score}
        return Score(
            value=both[_WORDS[self.how]],
            passed=whole.success if self.how == "aggregate" else None,
            explanation=f"tools {tools.value:.2g} ({tools.explanation or 'no reason asked for'}), "
            f"answer {answer.quality:.2g}",
            details={
                **graded,
                "generation": answer.quality,
                **both,
                "aggregate_success": whole.success,
                **answer.details,
            },
        )


def _by_function(trace: AgentTrace, generation: Callable[[AgentTrace], Any]) -> _Answer:
    quality = _graded(generation(trace))
    return _Answer(quality, {} if quality is None else {"generation": MetricResult(quality, quality >= _PASSES)})


def _by_geval(score: Score, *, threshold: float) -> _Answer:
    if score.value is None:
        return _Answer()
    details = {"geval": {"score": score.value, "reason": score.explanation, **score.details}}
    return _Answer(score.value, {"generation": MetricResult(score.value, score.value >= threshold)}, details)


def _by_metrics(grades: Sequence[Grade]) -> _Answer:
    results = results_of(grades)
    metrics = {grade.metric.name: grade.as_details for grade in grades}
    left_out = [name for name in PROMPTS if name not in metrics]
    quality = aggregate(results).score if results else None
    return _Answer(quality, results, {"metrics": metrics, "not_judged": left_out})


def _graded(value: object) -> float | None:
    """Return the grade of a generation evaluator, None if it gave none. Raises ValueError for anything else."""
    if value is None:
        return None
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("the generation evaluator must return a number in [0, 1], or None if it cannot grade")
    return float(value)
