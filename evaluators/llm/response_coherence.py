"""Does the answer follow from what happened before?"""

from __future__ import annotations

from typing import ClassVar

from ..definition.dialogue import Dialogue
from ..definition.registry import evaluator
from ..model import Score
from .base import Judged, graded, has
from .evidence import Given

__all__ = ["ResponseCoherence"]

_PARTS = ("input", "texts", "tool_calls", "final_response")


@evaluator(
    "response_coherence",
    version=1,
    source="floeval 2.0.0 ResponseCoherenceMetric; that the judge sees request and tool calls is ours",
    reads=("input", "messages", "tool_calls", "final_response"),
    skipped_when="the final response, or all that went before it, was not recorded",
    threshold=0.5,
)
class ResponseCoherence(Judged):
    """How far the final response follows from the conversation and the tool calls, as a judge sees it."""

    prompts: ClassVar[tuple[str, ...]] = ("response_coherence",)
    sees_sessions: ClassVar[bool] = True

    def ask(self, given: Given) -> Dialogue:
        if not has(given, "final_response"):
            return Score.skip("the final response was not recorded")
        if not has(given, "input", "texts", "tool_calls"):
            return Score.skip("nothing before the final response was recorded")
        return (yield from graded("response_coherence", self.shown(given, _PARTS)))
