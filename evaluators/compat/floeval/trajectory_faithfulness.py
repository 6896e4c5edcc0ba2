"""Do the steps follow from one another, by Floeval's prompt?"""

from __future__ import annotations

from typing import ClassVar, Final

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...model import AgentTrace, Score
from .graded import WITH_ISSUES, Graded

__all__ = ["TrajectoryFaithfulness"]

_FEWEST_MESSAGES: Final = 2


@evaluator(
    "floeval:trajectory_faithfulness",
    version=1,
    source="floeval 2.0.0 TrajectoryFaithfulnessMetric",
    reads=("input", "messages"),
    skipped_when="input not recorded, or fewer than two messages",
    threshold=0.5,
)
class TrajectoryFaithfulness(Graded):
    """How far the steps of the run follow from one another, as a number from a judge; `details.issues` lists faults.

    The judge sees about 400 characters of each text of a message or tool call. The answer is read as in
    floeval:goal_achievement.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_trajectory_faithfulness",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        if trace.input is None:
            return Score.skip("the input was not recorded")
        if len(trace.messages) < _FEWEST_MESSAGES:
            return Score.skip("fewer than two messages were recorded")
        return (yield from self.ask_judge(trace, ("input", "messages"), wanted=WITH_ISSUES, text_characters=400))
