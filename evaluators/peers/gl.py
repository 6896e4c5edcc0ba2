"""GDP Labs' gllm-evals: an agent's tools and its answer in one score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any, Literal, NamedTuple

from pydantic import Field, ImportString

from ..formats.tool_names import ToolNames
from ..model import AgentTrace, JsonObject, Score
from ..registry import Options, evaluator
from .deepeval import ToolCorrectness

__all__ = ["Agent", "Aggregate", "MetricResult", "aggregate", "combined"]


class MetricResult(NamedTuple):
    """What one metric says. `success` is None where it says nothing."""

    score: float
    success: bool | None
    higher_is_better: bool = True


class Aggregate(NamedTuple):
    """What several metrics say together."""

    score: float
    success: bool


@evaluator(
    "gl:agent",
    version=1,
    source="documentation of gllm-evals' AgentEvaluator (multiply_score, avg_score)",
    reads=("tool_calls", "reference.expected_tool_calls", "gaps"),
    skipped_when="the tools or the answer cannot be judged",
    threshold=0.5,
)
class Agent(Options):
    """How well an agent did: tool correctness and the quality of its answer, multiplied or averaged.

    The tools are graded by deepeval:tool_correctness with the options under `tool_correctness`; the answer by whatever
    `generation` names, which also sees whatever it likes of the run. Where either cannot judge, there is no score.
    `details` has both combinations, `multiply_score` and `avg_score`. How the trajectory was judged never counts.

    gllm-evals cuts random endings off the names of tools; here that is off until `tool_names` asks for it. Its newer
    releases combine otherwise: `aggregate` does what they do.
    """

    how: Literal["multiply", "average"] = Field(
        default="multiply", description="which combination is the score: multiply or average"
    )
    tool_correctness: ToolCorrectness = Field(
        default=ToolCorrectness(), description="the options of deepeval:tool_correctness"
    )
    generation: ImportString[Callable[[AgentTrace], Any]] = Field(
        description="`module:function` that grades the answer: a number in [0, 1], or None where it cannot"
    )
    tool_names: ToolNames = Field(
        default=ToolNames(),
        description="the random ending that is cut from names on both sides: mixed4, any4 or a regular expression",
    )

    def __call__(self, trace: AgentTrace) -> Score:
        tools = self.tool_correctness(self.tool_names.applied(trace))
        graded: JsonObject = {"tool_correctness": tools.value, "tool_correctness_details": tools.details}
        if tools.value is None:
            return Score.skip(f"tool correctness: {tools.reason}", **graded)
        generation = _graded(self.generation(trace))
        if generation is None:
            return Score.skip("the generation evaluator could not grade the answer", **graded)
        both = combined(tools.value, generation)
        return Score(
            value=both["multiply_score" if self.how == "multiply" else "avg_score"],
            explanation=f"tools {tools.value:.2g} ({tools.explanation or 'no reason asked for'}), "
            f"answer {generation:.2g}",
            details={**graded, "generation": generation, **both},
        )


def combined(tool_correctness: float, generation: float) -> dict[str, float]:
    """`multiply_score` and `avg_score` of two scores in [0, 1]. Source: the documentation of gllm-evals."""
    return {
        "multiply_score": tool_correctness * generation,
        "avg_score": (tool_correctness + generation) / 2,
    }


def aggregate(results: Mapping[str, MetricResult]) -> Aggregate:
    """The mean of the scores, those for which lower is better turned over; a success when every metric had one.

    Without metrics there is neither a score (0) nor a success. Source: gllm-evals 0.1.20 MetricsAggregator
    """
    if not results:
        return Aggregate(score=0.0, success=False)
    qualities = [each.score if each.higher_is_better else 1 - each.score for each in results.values()]
    return Aggregate(score=fmean(qualities), success=all(each.success for each in results.values()))


def _graded(value: object) -> float | None:
    """What a generation evaluator returned. Raises ValueError when that is no grade."""
    if value is None:
        return None
    if not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ValueError("the generation evaluator must return a number in [0, 1], or None where it cannot grade")
    return float(value)
