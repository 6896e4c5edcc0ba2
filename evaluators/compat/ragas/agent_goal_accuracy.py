"""Was the goal of the conversation reached, by the questions of Ragas to a judge?"""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...llm.answer_parsing import REASON, form
from ...llm.base import Judged, has, make_question, parts_used, words
from ...llm.evidence import Evidence, evidence_of
from ...model import AgentTrace, Score

__all__ = ["AgentGoalAccuracy"]

_PARTS = ("input", "trajectory", "final_response")
_OUTCOME: Final = form(user_goal=REASON, end_state=REASON)
_VERDICT: Final = form(reason=REASON, verdict={"type": "string", "enum": ["0", "1"]})


@evaluator(
    "ragas:agent_goal_accuracy",
    version=1,
    source="ragas 0.4.3 metrics.collections AgentGoalAccuracyWithReference and AgentGoalAccuracyWithoutReference",
    reads=("input", "messages", "tool_calls", "final_response", "reference.expected_response"),
    skipped_when="nothing of the conversation recorded; no reference says which outcome was expected, where that is "
    "compared",
)
class AgentGoalAccuracy(Judged):
    """1 if the conversation ended as expected, or as its user wanted, else 0.

    The judge is asked twice: what the user wanted and how the conversation ended; and then whether the desired and the
    actual outcome are the same. With `use_reference` the desired outcome is that of the reference, otherwise what the
    user wanted. The second question contains only these two sentences. The verdict is the text "1" or "0"; any other
    cannot be used.
    """

    prompts: ClassVar[tuple[str, ...]] = ("outcome_inference", "outcome_comparison")

    use_reference: bool = Field(
        default=True, description="compare with the expected response of the reference, not with the goal of the user"
    )

    def used_fields(self, reads: tuple[str, ...]) -> tuple[str, ...]:
        return reads if self.use_reference else parts_used(reads, ())

    def ask(self, trace: AgentTrace) -> Dialogue:
        expected = trace.reference.expected_response if trace.reference else None
        if self.use_reference and not expected:
            return Score.skip("no reference says which outcome was expected")
        if not has(trace, *_PARTS):
            return Score.skip("nothing of the conversation was recorded")
        evidence = self.shown(trace, _PARTS)
        [inferred] = yield [make_question("outcome_inference", evidence, _OUTCOME)]
        desired = expected if self.use_reference else inferred.value["user_goal"]
        arrived = inferred.value["end_state"]
        [compared] = yield [make_question("outcome_comparison", _both(desired, arrived), _VERDICT)]
        outcomes = {"desired_outcome": desired, "arrived_outcome": arrived}
        return Score(
            value=float(compared.value["verdict"]),
            explanation=words(compared.value["reason"]),
            details=evidence.details | outcomes,
        )


def _both(desired: str | None, arrived: str) -> Evidence:
    return evidence_of([("desired outcome", desired), ("arrived outcome", arrived)])
