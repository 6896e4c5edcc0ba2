"""Did the agent follow the expected trajectory, as Dokimos counts it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from pydantic import Field

from ...checks.tool_trajectory import TrajectoryMode, sequence_score
from ...definition.registry import evaluator
from ...matching import TooLong, longest_common_subsequence, maximum_matching
from ...model import AgentTrace, ExpectedCall, Score, ToolCall
from ...text.messages import NO_EXPECTATION, counted, listed
from .arguments import MatcherOptions, TolerantArgumentMatcher
from .refusal import nameless

__all__ = ["ToolTrajectory"]


@evaluator(
    "dokimos:tool_trajectory",
    version=1,
    source="Dokimos ToolTrajectoryEvaluator (commit 0b6a1d3)",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected; arguments that count not recorded",
)
class ToolTrajectory(MatcherOptions):
    """How far the calls are the expected trajectory.

    IN_ORDER is the longest common subsequence over the longer list, so extra calls cost even if all expected ones are
    there in order. SUBSET and SUPERSET are about the actual calls here, but about the expected arguments in a matcher.
    No calls are a SUBSET of any list; two empty lists score 1 in every mode. If a STRICT trajectory differs, no call
    counts as matched.
    """

    match_mode: Literal["STRICT", "IN_ORDER", "ANY_ORDER", "SUPERSET", "SUBSET", "PRECISION", "RECALL"] = Field(
        default="IN_ORDER", description="STRICT, IN_ORDER, ANY_ORDER, SUPERSET, SUBSET, PRECISION or RECALL"
    )
    per_tool_matchers: Mapping[str, TolerantArgumentMatcher] = Field(
        default_factory=dict, description="other matchers by tool; the expected call's name selects"
    )

    def matcher_for(self, tool: str) -> TolerantArgumentMatcher:
        return self.per_tool_matchers.get(tool, self.argument_matcher)

    def __call__(self, trace: AgentTrace) -> Score:
        expected = trace.expected_tool_calls
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        actual = trace.tool_calls
        refusal = nameless(actual) or nameless(expected) or self.undecidable(expected, actual)
        if refusal:
            return Score.skip(refusal)
        try:
            return self._score(actual, expected, self._pairs(expected, actual))
        except TooLong as too_long:
            return Score.skip(str(too_long))

    def _pairs(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> Mapping[int, int]:
        """Return {expected position: actual position} of the calls that match."""
        if self.match_mode == "STRICT":
            equal = len(expected) == len(actual) and all(map(self.accepts, expected, actual))
            return {at: at for at in range(len(expected))} if equal else {}
        if self.match_mode == "IN_ORDER":
            return dict(longest_common_subsequence(expected, actual, self.accepts))
        return maximum_matching(expected, actual, self.accepts)

    def _score(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall], pairs: Mapping[int, int]) -> Score:
        mode = cast(TrajectoryMode, self.match_mode.lower())
        value = sequence_score(mode, len(pairs), actual=len(actual), expected=len(expected))
        return Score(
            value=value,
            explanation="the calls are as expected" if value == 1 else self._fault(expected, pairs),
            details={
                "match_mode": self.match_mode,
                "matched_count": len(pairs),
                "actual_count": len(actual),
                "expected_count": len(expected),
                "actual_tools": [call.name for call in actual],
                "expected_tools": [call.name for call in expected],
            },
        )

    def _fault(self, expected: Sequence[ExpectedCall], pairs: Mapping[int, int]) -> str:
        if self.match_mode == "STRICT":
            return "the calls are not exactly the expected ones"
        missing = [call.name for position, call in enumerate(expected) if position not in pairs]
        matched = f"{len(pairs)} of {counted(len(expected), 'expected call')} matched"
        return f"{matched}; missing: {listed(missing)}" if missing else f"{matched}; others were made too"
