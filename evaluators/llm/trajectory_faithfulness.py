"""Do the steps of the agent follow from one another?"""

from __future__ import annotations

from typing import ClassVar, Final

from ..definition.dialogue import Dialogue
from ..definition.registry import evaluator
from ..model import Score
from .answer_parsing import REASON, SCORE, form
from .base import Judged, make_question, turns, words
from .evidence import Given

__all__ = ["TrajectoryFaithfulness"]

_PARTS = ("input", "texts", "tool_calls", "final_response")
_STEPS: Final = 2
_FORM: Final = form(issues={"type": "array", "items": {"type": "string"}}, reasoning=REASON, score=SCORE)


@evaluator(
    "trajectory_faithfulness",
    version=1,
    source="floeval 2.0.0 TrajectoryFaithfulnessMetric; that results are shown in full where they fit is ours",
    reads=("input", "messages", "tool_calls", "final_response"),
    skipped_when="fewer than two steps were recorded",
    threshold=0.5,
)
class TrajectoryFaithfulness(Judged):
    """How far each step of the agent follows from those before it and serves the request, as a judge sees it.

    `details.issues` names the steps that do not. Messages and tool calls are steps.
    """

    prompts: ClassVar[tuple[str, ...]] = ("trajectory_faithfulness",)
    sees_sessions: ClassVar[bool] = True

    def ask(self, given: Given) -> Dialogue:
        if sum(len(run.messages) + len(run.tool_calls) for run in turns(given)) < _STEPS:
            return Score.skip("fewer than two steps were recorded")
        shown = self.shown(given, _PARTS)
        [answer] = yield [make_question("trajectory_faithfulness", shown, _FORM)]
        fields = answer.value
        return Score(
            value=float(fields["score"]),
            explanation=words(fields["reasoning"]),
            details=shown.details | {"issues": fields["issues"]},
        )
