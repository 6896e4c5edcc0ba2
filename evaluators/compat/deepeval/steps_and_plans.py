"""DeepEval: did the agent take no needless steps, was its plan good, and did it follow it, as a judge sees it?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import ClassVar, Final

from ...definition.dialogue import Answer, Dialogue, Question
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, SCORE, form
from ...llm.base import NO_INPUT, has, make_question, words
from ...llm.evidence import Evidence
from ...llm.evidence_parts import numbered
from ...model import AgentTrace, Score
from .strict import StrictlyJudged

__all__ = ["PlanAdherence", "PlanQuality", "StepEfficiency"]

_GRADE: Final = form(reason=REASON, score=SCORE)
_PLAN: Final = form(plan={"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1}})
_DONE: Final = ("messages", "tool_calls", "final_response")
_SAID: Final = ("reasoning_steps", *_DONE)
_NOTHING: Final = "nothing that the agent did was recorded"


class _Graded(StrictlyJudged):
    """Base of metrics whose judge gives one number with its reason."""

    def grade(self, prompt: str, shown: Evidence, **details: object) -> Dialogue:
        """Return the score of one question."""
        [answer] = yield [make_question(prompt, shown, _GRADE)]
        return self.make_score(
            float(answer.value["score"]), words(answer.value["reason"]), {**shown.details, **details}
        )


@evaluator(
    "deepeval:step_efficiency",
    version=1,
    source="deepeval 4.3.1 StepEfficiencyMetric; the prompt is ours, and finds the task itself",
    reads=("input", "messages", "tool_calls", "final_response"),
    skipped_when="the request, or all that the agent did, was not recorded",
    threshold=0.5,
)
class StepEfficiency(_Graded):
    """How near the run is to the fewest steps that do what was asked for, as a number from a judge."""

    prompts: ClassVar[tuple[str, ...]] = ("deepeval_step_efficiency",)
    must_be_recorded: ClassVar[tuple[str, ...] | None] = ("tool_calls",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        if (missing := _find_missing(trace)) is not None:
            return Score.skip(missing)
        return (yield from self.grade("deepeval_step_efficiency", self.shown(trace, ("input", *_DONE))))


class _OfPlan(_Graded):
    """Base of the metrics of plans: the judge is first asked for the plan. Without one, the score is 1."""

    grading: ClassVar[str] = ""
    parts: ClassVar[tuple[str, ...]] = ()

    def ask(self, trace: AgentTrace) -> Dialogue:
        if (missing := _find_missing(trace)) is not None:
            return Score.skip(missing)
        plan = yield from self._extract_plan(trace)
        if not plan:
            return self.make_score(1.0, "the agent made no plan", {"plan": []})
        shown = self.shown(trace, self.parts, {"plan": numbered("step", plan)})
        return (yield from self.grade(self.grading, shown, plan=list(plan)))

    def _extract_plan(self, trace: AgentTrace) -> Generator[Sequence[Question], Sequence[Answer], Sequence[str]]:
        [answer] = yield [make_question("deepeval_plan_extraction", self.shown(trace, ("input", *_SAID)), _PLAN)]
        plan: Sequence[str] = answer.value["plan"]
        return plan


@evaluator(
    "deepeval:plan_adherence",
    version=1,
    source="deepeval 4.3.1 PlanAdherenceMetric; the prompts are ours",
    reads=("input", "messages", "tool_calls", "final_response", "reasoning_steps"),
    skipped_when="the request, or all that the agent did, was not recorded",
    threshold=0.5,
)
class PlanAdherence(_OfPlan):
    """How far the agent followed the plan that it made itself, as a number from a judge; 1 if it made none.

    The judge is asked twice: for the plan, which is in `details`, and for the number.
    """

    prompts: ClassVar[tuple[str, ...]] = ("deepeval_plan_extraction", "deepeval_plan_adherence")
    must_be_recorded: ClassVar[tuple[str, ...] | None] = ("tool_calls",)
    grading: ClassVar[str] = "deepeval_plan_adherence"
    parts: ClassVar[tuple[str, ...]] = ("input", *_DONE)


@evaluator(
    "deepeval:plan_quality",
    version=1,
    source="deepeval 4.3.1 PlanQualityMetric; the prompts are ours",
    reads=("input", "messages", "tool_calls", "final_response", "reasoning_steps"),
    skipped_when="the request, or all that the agent did, was not recorded",
    threshold=0.5,
)
class PlanQuality(_OfPlan):
    """How good the plan is that the agent made for the request, as a number from a judge; 1 if it made none.

    The judge is asked twice: for the plan, which is in `details`, and for the number.
    """

    prompts: ClassVar[tuple[str, ...]] = ("deepeval_plan_extraction", "deepeval_plan_quality")
    grading: ClassVar[str] = "deepeval_plan_quality"
    parts: ClassVar[tuple[str, ...]] = ("input",)


def _find_missing(trace: AgentTrace) -> str | None:
    if trace.input is None:
        return NO_INPUT
    return None if has(trace, *_SAID) else _NOTHING
