"""Did the agent call the expected tools? In three modes: by name, by order, or by arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import eq
from typing import Literal

from pydantic import Field

from ..definition.registry import evaluator
from ..formats.tool_names import ToolNames
from ..matching import ArgumentOptions, TooLong, longest_common_subsequence, maximum_matching
from ..model import AgentTrace, ExpectedCall, JsonObject, Score, ToolCall
from ..text.messages import NO_EXPECTATION, differences, listed

__all__ = ["ToolCorrectness"]


@evaluator(
    "tool_correctness",
    version=2,
    source="Dokimos ToolCorrectnessEvaluator; names_and_args pairs by maximum matching instead of first fit",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected; tool calls were not recorded",
)
class ToolCorrectness(ArgumentOptions):
    """How far the tools that were called are those that were expected.

    `names_only`: F1 of the two sets of names. `names_and_order`: longest common subsequence of the names, over the
    longer list. `names_and_args`: F1 of the calls, paired so that as many as possible match, in any order.
    """

    tool_names: ToolNames = Field(
        default=ToolNames(),
        description="random endings of names that are cut before comparing: random4, mixed4, any4 or an expression",
    )
    mode: Literal["names_only", "names_and_order", "names_and_args"] = Field(
        default="names_only", description="names_only, names_and_order or names_and_args"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        trace = self.tool_names.applied(trace)
        expected = trace.expected_tool_calls
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        try:
            if self.mode == "names_and_args":
                return self._by_arguments(trace.tool_calls, expected)
            names = [call.name for call in trace.tool_calls], [call.name for call in expected]
            return _by_name(*names) if self.mode == "names_only" else _by_order(*names)
        except TooLong as refusal:
            return Score.skip(str(refusal))

    def _by_arguments(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> Score:
        if undecidable := self.undecidable(expected, actual):
            return Score.skip(undecidable)
        pairs = maximum_matching(expected, actual, self.accepts)
        paired = set(pairs.values())
        redundant = [call.name for position, call in enumerate(actual) if position not in paired]
        missing = [call.name for position, call in enumerate(expected) if position not in pairs]
        details: JsonObject = {"matched": len(pairs), "redundant": redundant, "missing": missing}
        altered = [expected[at].name for at in self.altered(expected, actual, pairs)]
        return _scored(
            f1(len(pairs), len(actual), len(expected)), details, altered=altered, is_any_expected=bool(expected)
        )


def f1(matched: int, actual: int, expected: int) -> float:
    """Return the harmonic mean of precision and recall; 1.0 if both sides are empty."""
    return 2 * matched / (actual + expected) if actual or expected else 1.0


def _by_name(actual: list[str], expected: list[str]) -> Score:
    called, wanted = dict.fromkeys(actual), dict.fromkeys(expected)  # sets that keep their order
    details: JsonObject = {"correct": [name for name in called if name in wanted], **_differences(called, wanted)}
    return _scored(f1(len(details["correct"]), len(called), len(wanted)), details, is_any_expected=bool(wanted))


def _by_order(actual: list[str], expected: list[str]) -> Score:
    matched = len(longest_common_subsequence(expected, actual, eq))
    longest = max(len(actual), len(expected))
    details: JsonObject = {"lcs_length": matched, **_differences(dict.fromkeys(actual), dict.fromkeys(expected))}
    score = _scored(matched / longest if longest else 1.0, details, is_any_expected=bool(expected))
    wanted = Counter(expected)
    repeated = [name for name, count in Counter(actual).items() if name in wanted and count != wanted[name]]
    if not repeated:
        return score
    faults = [score.explanation] if details["missing"] or details["redundant"] else []
    return score.model_copy(
        update={"explanation": "; ".join([*map(str, faults), f"called another number of times: {listed(repeated)}"])}
    )


def _differences(called: dict[str, None], wanted: dict[str, None]) -> JsonObject:
    return {
        "redundant": [name for name in called if name not in wanted],
        "missing": [name for name in wanted if name not in called],
    }


def _scored(value: float, details: JsonObject, *, is_any_expected: bool, altered: Sequence[str] = ()) -> Score:
    parts = differences(
        altered, missing=details["missing"], unexpected=details["redundant"], is_any_expected=is_any_expected
    )
    if not parts:
        parts.append("the tools are those expected" if value == 1 else "the right tools in another order")
    return Score(value=value, explanation="; ".join(parts), details=details)
