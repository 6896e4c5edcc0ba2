"""How completely was the request answered, by Floeval's prompt?"""

from __future__ import annotations

from typing import ClassVar

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...model import AgentTrace
from .graded import Graded, of_outcome

__all__ = ["TaskCompletion"]


@evaluator(
    "floeval:task_completion",
    version=1,
    source="floeval 2.0.0 TaskCompletionMetric",
    reads=("input", "final_response", "reference.expected_response"),
    skipped_when="input or final response not recorded",
    threshold=0.5,
)
class TaskCompletion(Graded):
    """How completely the final response does what the user asked for, as a number from a judge on a graded scale.

    Like floeval:goal_achievement, with explained numbers. It does not use a list of tasks.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_task_completion",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        return (yield from of_outcome(self, trace))
