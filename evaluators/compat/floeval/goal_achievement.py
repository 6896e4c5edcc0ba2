"""Did the agent do what was asked for, by Floeval's prompt?"""

from __future__ import annotations

from typing import ClassVar

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...model import AgentTrace
from .graded import Graded, of_outcome

__all__ = ["GoalAchievement"]


@evaluator(
    "floeval:goal_achievement",
    version=1,
    source="floeval 2.0.0 GoalAchievementMetric",
    reads=("input", "final_response", "reference.expected_response"),
    skipped_when="input or final response not recorded",
    threshold=0.5,
)
class GoalAchievement(Graded):
    """How far the agent did what its user asked for, by the judge's number.

    The judge sees request, final response and, where somebody said one, the expected outcome; nothing of what the
    agent did. Of the answer counts what stands from the first brace to the last, so that two objects are none. A
    missing score is 0, true is 1, and what lies outside of [0, 1] is cut. Floeval has deprecated it.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_goal_achievement",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        return (yield from of_outcome(self, trace))
