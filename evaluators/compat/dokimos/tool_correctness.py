"""Did the agent call the expected tools, as Dokimos counts it?"""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq
from typing import Literal

from pydantic import Field

from ...definition.registry import evaluator
from ...matching import TooLong, longest_common_subsequence
from ...model import AgentTrace, ExpectedCall, JsonObject, Score, ToolCall
from ...text.messages import NO_EXPECTATION, counted, listed
from ..overlap import Overlap
from ..pairing import first_come
from .arguments import MatcherOptions
from .refusal import nameless

__all__ = ["ToolCorrectness"]


@evaluator(
    "dokimos:tool_correctness",
    version=1,
    source="Dokimos ToolCorrectnessEvaluator (commit 879d52b)",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected; arguments that count not recorded",
)
class ToolCorrectness(MatcherOptions):
    """How far the tools that were called are those that were expected.

    NAMES_ONLY is the F1 of two sets, so repeats do not count. NAMES_AND_ORDER is the longest common subsequence of the
    names over the longer list. NAMES_AND_ARGS is the F1 of the calls in any order; each call is paired with the first
    free expected one that fits, which with SUBSET or SUPERSET may be the only one that fits a later call. Two empty
    lists score 1.
    """

    match_mode: Literal["NAMES_ONLY", "NAMES_AND_ORDER", "NAMES_AND_ARGS"] = Field(
        default="NAMES_ONLY", description="NAMES_ONLY, NAMES_AND_ORDER or NAMES_AND_ARGS"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        expected = trace.expected_tool_calls
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        if refusal := nameless(trace.tool_calls) or nameless(expected):
            return Score.skip(refusal)
        try:
            if self.match_mode == "NAMES_AND_ARGS":
                return self._by_arguments(trace.tool_calls, expected)
            names = [call.name for call in trace.tool_calls], [call.name for call in expected]
            return _by_name(*names) if self.match_mode == "NAMES_ONLY" else _by_order(*names)
        except TooLong as too_long:
            return Score.skip(str(too_long))

    def _by_arguments(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> Score:
        if undecidable := self.undecidable(expected, actual):
            return Score.skip(undecidable)
        if not actual and not expected:
            return Score(value=1, explanation="no calls were expected, and none were made")
        matched = len(first_come(actual, expected, lambda call, wanted: self.accepts(wanted, call)))
        explanation = f"{counted(matched, 'call')} matched, of {len(actual)} made and {len(expected)} expected"
        return Score(
            value=_f1(matched, len(actual), len(expected)), explanation=explanation, details={"matched_count": matched}
        )


def _by_name(actual: Sequence[str], expected: Sequence[str]) -> Score:
    called, wanted = dict.fromkeys(actual), dict.fromkeys(expected)  # sets that keep their order
    correct = [name for name in called if name in wanted]
    details = {"correct_tools": correct, **_differences(called, wanted)}
    return _scored(_f1(len(correct), len(called), len(wanted)), details)


def _by_order(actual: Sequence[str], expected: Sequence[str]) -> Score:
    matched = len(longest_common_subsequence(actual, expected, eq))
    longest = max(len(actual), len(expected))
    details = {"lcs_length": matched, **_differences(dict.fromkeys(actual), dict.fromkeys(expected))}
    return _scored(matched / longest if longest else 1.0, details)


def _differences(called: dict[str, None], wanted: dict[str, None]) -> JsonObject:
    return {
        "redundant_tools": [name for name in called if name not in wanted],
        "missing_tools": [name for name in wanted if name not in called],
    }


def _f1(matched: int, actual: int, expected: int) -> float:
    """Return the F1 in [0, 1]; 1 for two empty lists."""
    return Overlap(matched, actual, expected).f1 if actual or expected else 1.0


def _scored(value: float, details: JsonObject) -> Score:
    missing, redundant = details["missing_tools"], details["redundant_tools"]
    parts = [f"{word}: {listed(names)}" for word, names in (("missing", missing), ("not expected", redundant)) if names]
    if not parts:
        parts.append("the tools are those expected" if value == 1 else "the right tools in another order or number")
    return Score(value=value, explanation="; ".join(parts), details=details)
