"""Does the answer follow from the conversation, by Floeval's prompt?"""

from __future__ import annotations

from typing import ClassVar

from ...definition.dialogue import Dialogue
from ...definition.registry import evaluator
from ...model import AgentTrace, Score
from .graded import Graded

__all__ = ["ResponseCoherence"]


@evaluator(
    "floeval:response_coherence",
    version=1,
    source="floeval 2.0.0 ResponseCoherenceMetric",
    reads=("messages", "final_response"),
    skipped_when="final response not recorded",
    threshold=0.5,
)
class ResponseCoherence(Graded):
    """How far the final response follows from the conversation, as a number from a judge.

    The judge sees the role and about 500 characters of text of each message, but no tool calls. The answer is read as
    in floeval:goal_achievement. Floeval has deprecated this metric.
    """

    prompts: ClassVar[tuple[str, ...]] = ("floeval_response_coherence",)

    def ask(self, trace: AgentTrace) -> Dialogue:
        if trace.final_response is None:
            return Score.skip("the final response was not recorded")
        return (yield from self.ask_judge(trace, ("texts", "final_response"), text_characters=500))
