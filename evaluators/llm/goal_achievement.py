"""Did the agent reach what its user wanted?"""

from __future__ import annotations

from typing import ClassVar

from ..definition.dialogue import Dialogue
from ..definition.registry import evaluator
from ..model import Score
from .base import NO_ANSWER, NO_INPUT, Judged, graded, has
from .evidence import Given

__all__ = ["GoalAchievement"]

_PARTS = ("input", "requests", "tool_calls", "final_response", "error", "reference.expected_response")


@evaluator(
    "goal_achievement",
    version=1,
    source="floeval 2.0.0 GoalAchievementMetric; that the judge sees the tool calls is ours",
    reads=("input", "messages", "tool_calls", "final_response", "error", "reference.expected_response"),
    skipped_when="the request, or both answer and tool calls, were not recorded",
    threshold=0.5,
)
class GoalAchievement(Judged):
    """How far the agent achieved the goal of its user, as a judge sees it.

    The judge sees the request, the tool calls with their results, the answer, and the expected response of the
    reference, if there is one. Runs whose request was not recorded are skipped.
    """

    prompts: ClassVar[tuple[str, ...]] = ("goal_achievement",)
    sees_sessions: ClassVar[bool] = True

    def ask(self, given: Given) -> Dialogue:
        if not has(given, "input", "requests"):
            return Score.skip(NO_INPUT)
        if not has(given, "final_response", "tool_calls"):
            return Score.skip(NO_ANSWER)
        return (yield from graded("goal_achievement", self.shown(given, _PARTS)))
