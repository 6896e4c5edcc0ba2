"""The metrics of an answer in gllm-evals, each by itself: a row of its own."""

from __future__ import annotations

from typing import ClassVar, Final

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...llm.base import Judged, has, words
from ...model import AgentTrace, Score
from .aggregation import aggregate
from .generation import METRICS, PROMPTS, graded_answer, results_of

__all__ = ["Completeness", "Generation", "Groundedness", "Redundancy"]

_SOURCE: Final = "gllm-evals 0.1.20 GEvalGenerationEvaluator"
_BY_NAME: Final = {metric.name: metric for metric in METRICS}


class _Graded(Judged):
    """One metric of an answer. Its question is that of gl:agent, so a stored answer is used again."""

    def ask(self, trace: AgentTrace) -> Dialogue:
        metric = _BY_NAME[self.prompts[0]]
        if missing := [part for part in metric.needs if not has(trace, part)]:
            return Score.skip(f"not recorded: {', '.join(missing)}")
        [grade] = yield from graded_answer(trace, among=[metric], max_characters=self.max_evidence_characters)
        return Score(value=grade.quality, explanation=words(grade.details["reason"]), details=grade.as_details)


@evaluator(
    "gl:completeness",
    version=1,
    source=_SOURCE,
    reads=("input", "final_response", "reference.expected_response"),
    skipped_when="the input, the final response or the expected response was not recorded",
)
class Completeness(_Graded):
    """How much of the expected response the answer contains, as a judge finds on a scale of 1 to 3, as 0 to 1."""

    prompts: ClassVar[tuple[str, ...]] = ("completeness",)


@evaluator(
    "gl:groundedness",
    version=1,
    source=_SOURCE,
    reads=("input", "final_response", "tool_calls"),
    skipped_when="the input, the final response or tool calls were not recorded",
)
class Groundedness(_Graded):
    """How far the answer rests on what the tools returned, as a judge finds on a scale of 1 to 3, as 0 to 1."""

    prompts: ClassVar[tuple[str, ...]] = ("groundedness",)


@evaluator(
    "gl:redundancy",
    version=1,
    source=_SOURCE,
    reads=("input", "final_response"),
    skipped_when="the input or the final response was not recorded",
    threshold=0.5,
)
class Redundancy(_Graded):
    """How free of repetition the answer is: 1 minus the redundancy of the peer, for which lower is better.

    A judge finds the redundancy on a scale of 1 to 3, as 0 to 1; `details` have it as `score`.
    """

    prompts: ClassVar[tuple[str, ...]] = ("redundancy",)


@evaluator(
    "gl:generation",
    version=1,
    source=_SOURCE,
    reads=("input", "final_response", "reference.expected_response", "tool_calls"),
    skipped_when="the input or the final response was not recorded",
    threshold=0.5,
)
class Generation(Judged):
    """The quality of the answer: the mean of completeness, groundedness and inverted redundancy.

    Metrics whose needs were not recorded are left out, as in gl:agent.
    """

    prompts: ClassVar[tuple[str, ...]] = PROMPTS

    def ask(self, trace: AgentTrace) -> Dialogue:
        if missing := [part for part in ("input", "final_response") if not has(trace, part)]:
            return Score.skip(f"not recorded: {', '.join(missing)}")
        grades = yield from graded_answer(trace, max_characters=self.max_evidence_characters)
        whole = aggregate(results_of(grades))
        return Score(
            value=whole.score,
            explanation=", ".join(f"{grade.metric.name} {grade.score:.2g}" for grade in grades),
            details={
                "metrics": {grade.metric.name: grade.as_details for grade in grades},
                "success": whole.success,
                "not_judged": [name for name in PROMPTS if name not in results_of(grades)],
            },
        )
