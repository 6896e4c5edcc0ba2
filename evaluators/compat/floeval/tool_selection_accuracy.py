"""Did the agent call the expected tools, as Floeval counts it?"""

from __future__ import annotations

from ...definition.registry import Options, evaluator
from ...model import AgentTrace, Score
from ...text.messages import NO_EXPECTATION, listed
from ..overlap import Overlap

__all__ = ["ToolSelectionAccuracy"]


@evaluator(
    "floeval:tool_selection_accuracy",
    version=1,
    source="floeval 2.0.0 ToolSelectionAccuracyMetric",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected",
    threshold=0.8,
)
class ToolSelectionAccuracy(Options):
    """F1 of the set of tools called and the set of tools expected, to four digits.

    Only names count, neither their order nor the number of calls. Two empty sets score 1. The threshold applies to the
    rounded number; in the peer it applies before rounding, so a binary 0.7999999999999999 fails there.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        reference = trace.expected_tool_calls
        if reference is None:
            return Score.skip(NO_EXPECTATION)
        actual, expected = {call.name for call in trace.tool_calls}, {call.name for call in reference}
        overlap = Overlap(len(actual & expected), len(actual), len(expected))
        missing, extra = sorted(expected - actual), sorted(actual - expected)
        faults = [
            f"{word}: {listed(names)}" for word, names in (("missing", missing), ("not expected", extra)) if names
        ]
        return Score(
            value=round(overlap.f1, 4) if actual or expected else 1.0,
            explanation="; ".join(faults) or "the tools are those expected",
            details={
                "precision": round(overlap.precision, 4),
                "recall": round(overlap.recall, 4),
                "expected_tools": sorted(expected),
                "actual_tools": sorted(actual),
                "missing_tools": missing,
                "extra_tools": extra,
            },
        )
