"""gllm-evals' AgentEvaluator and its metrics: `await AgentEvaluator(…).evaluate(record)`.

Constructors and calls are those of its documentation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...definition.evaluator_object import make_options
from ...formats.gl import agent_data, refuse_misspelt_fields
from ...judges.backends.asker import asker_of
from ...model import AgentTrace, JsonObject, Score
from ..deepeval.api import DeepEvalToolCorrectnessMetric, ToolCallParams
from ..langchain import TrajectoryAccuracy
from ..langchain.trajectory_accuracy import FewShotExample
from ..record_metric import Measurement, RecordMetric
from .aggregation import MetricResult, aggregate, combined
from .metrics import Generation

__all__ = [
    "AgentEvaluator",
    "DeepEvalToolCorrectnessMetric",
    "FewShotExample",
    "GEvalGenerationEvaluator",
    "LangChainAgentTrajectoryAccuracyMetric",
    "Measurement",
    "ToolCallParams",
]

_PASSES: Final = 0.5


class GEvalGenerationEvaluator(RecordMetric):
    """The quality of an answer: the mean of completeness, groundedness and inverted redundancy (`gl:generation`).

    `model`, `model_credentials` and `model_config` are those of DeepEvalToolCorrectnessMetric.
    """

    def __init__(
        self,
        model: object = "openai/gpt-4.1",
        model_credentials: str | None = None,
        model_config: Mapping[str, Any] | None = None,
    ) -> None:
        """Raise ValueError if the model cannot be asked for want of a key."""
        self.options = Generation()
        super().__init__("generation", self.options, threshold=_PASSES)
        self._asker = asker_of(model, key=model_credentials, settings=model_config)

    async def score(self, run: AgentTrace) -> Score:
        return await self._asker.conclude(self.options.ask(run))


class LangChainAgentTrajectoryAccuracyMetric(RecordMetric):
    """Whether a judge finds the trajectory good: `langchain:trajectory_accuracy`.

    It needs the trajectory, and with `use_reference` the expected one, too.
    """

    def __init__(  # noqa: PLR0913 - the parameters of the document
        self,
        model: object = "gpt-4.1",
        model_credentials: str | None = None,
        model_config: Mapping[str, Any] | None = None,
        *,
        use_reference: bool = True,
        continuous: bool = False,
        use_reasoning: bool = True,
        few_shot_examples: Sequence[FewShotExample | Mapping[str, Any]] | None = None,
        choices: Sequence[float] | None = None,
    ) -> None:
        """Raise ValueError if an argument has a wrong value, or if the model cannot be asked for want of a key."""
        given = {
            "use_reference": use_reference,
            "continuous": continuous,
            "use_reasoning": use_reasoning,
            "few_shot_examples": tuple(few_shot_examples or ()),
            "choices": tuple(choices or ()),
        }
        self.options: TrajectoryAccuracy = make_options(TrajectoryAccuracy, given)
        super().__init__("langchain_agent_trajectory_accuracy", self.options, threshold=_PASSES)
        self._asker = asker_of(model, key=model_credentials, settings=model_config)

    async def score(self, run: AgentTrace) -> Score:
        expected = None if run.reference is None else run.reference.expected_trajectory
        if not run.messages or (self.options.use_reference and expected is None):
            missing = "expected_agent_trajectory" if run.messages else "agent_trajectory"
            return Score.skip(f"{missing} is not given")
        return await self._asker.conclude(self.options.ask(run))


class AgentEvaluator:
    """Tool correctness and the quality of the answer, each by itself and in one score.

    A metric that is None is a default one, except that of the trajectory, which is then not asked for. The trajectory
    never counts in `multiply_score` and `avg_score`.
    """

    def __init__(
        self,
        tool_correctness_metric: DeepEvalToolCorrectnessMetric | None = None,
        generation_evaluator: GEvalGenerationEvaluator | None = None,
        trajectory_accuracy_metric: LangChainAgentTrajectoryAccuracyMetric | None = None,
    ) -> None:
        """Raise ValueError if the default generation evaluator has no key."""
        self.tool_correctness_metric = tool_correctness_metric or DeepEvalToolCorrectnessMetric()
        self.generation_evaluator = generation_evaluator or GEvalGenerationEvaluator()
        self.trajectory_accuracy_metric = trajectory_accuracy_metric

    async def evaluate(self, data: Mapping[str, Any]) -> JsonObject:
        """Return the scores of a record, whose fields are those of `measure`.

        The keys are `multiply_score` and `avg_score` (None if either of the two has no score), `aggregate_score` and
        `aggregate_success` over the single metrics (None if none has a score), and a mapping for each metric:
        `deepeval_tool_correctness`, `generation`, which contains completeness, groundedness and redundancy as far as
        they were graded, and `langchain_agent_trajectory_accuracy`. Raises like `measure`.
        """
        refuse_misspelt_fields(data)
        run = agent_data(data)
        metrics: dict[str, RecordMetric] = {
            "deepeval_tool_correctness": self.tool_correctness_metric,
            "generation": self.generation_evaluator,
        }
        if self.trajectory_accuracy_metric is not None:
            metrics["langchain_agent_trajectory_accuracy"] = self.trajectory_accuracy_metric
        measurements = await asyncio.gather(*(metric.measure_run(run) for metric in metrics.values()))
        measured = dict(zip(metrics, measurements, strict=True))
        return {**_combined(measured), **{name: _in_words(measurement) for name, measurement in measured.items()}}


def _combined(measured: Mapping[str, Measurement]) -> JsonObject:
    tools, answer = measured["deepeval_tool_correctness"], measured["generation"]
    both: JsonObject = {"multiply_score": None, "avg_score": None}
    if tools.score is not None and answer.score is not None:
        both = dict(combined(tools.score, answer.score))
    results = {"tools": MetricResult(tools.score, tools.success), **_parts(answer)}
    if all(result.score is None for result in results.values()):
        return {**both, "aggregate_score": None, "aggregate_success": None}
    whole = aggregate(results)
    return {**both, "aggregate_score": whole.score, "aggregate_success": whole.success}


def _parts(answer: Measurement) -> dict[str, MetricResult]:
    """Return the results of the metrics that the quality of the answer is made of."""
    graded = answer.metadata.get("metrics", {})
    return {
        name: MetricResult(grade["score"], grade["success"], higher_is_better=name != "redundancy")
        for name, grade in graded.items()
    }


def _in_words(measurement: Measurement) -> JsonObject:
    return {
        "score": measurement.score,
        "success": measurement.success,
        "threshold": measurement.threshold,
        "explanation": measurement.reason,
        **measurement.metadata.get("metrics", {}),
    }
