"""Did the agent achieve the user's goal, by Floeval's prompt?"""

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
    """How far the agent achieved what the user asked for, as a number from a judge.

    The judge sees the request, the final response and the expected response, if there is one, but no actions of the
    agent. Its answer is read from the first brace to the last, so two objects cannot be read. A missing score is 0,
    true is 1, and a number outside of [0, 1] is clipped. Floeval has deprecated this metric.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_goal_achievement",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        return (yield from of_outcome(self, trace))
