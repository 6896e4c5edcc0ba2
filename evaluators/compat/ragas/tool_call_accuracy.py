"""Are the tool calls those of the reference, call by call, as Ragas compares them?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from ...definition.registry import Options, evaluator
from ...matching import same, unrecorded_arguments
from ...model import AgentTrace, ExpectedCall, JsonObject, Score, ToolCall
from ...text.messages import NO_EXPECTATION, listed
from ..python_text import Unwritable, text

__all__ = ["ToolCallAccuracy"]


@evaluator(
    "ragas:tool_call_accuracy",
    version=1,
    source="ragas 0.4.3 metrics.collections.ToolCallAccuracy",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected, or arguments that count were not recorded",
)
class ToolCallAccuracy(Options):
    """Mean share of the reference's arguments that the calls have, if the tools are the reference's; else 0.

    Two empty lists score 1, one empty list 0. With an extra or a missing call the sequence differs and scores 0. The
    score of a call is the share of the expected arguments that it has; additional arguments cost nothing, except if
    none are expected: then the call scores 0.

    Arguments are equal if their Python texts are: 1 is "1" and None is "None", but 1 is not 1.0 and true not "true";
    objects need their keys in the same order. Without `strict_order`, both lists are sorted by name, argument names and
    texts and compared position by position, which may pair calls badly that agree only in part.
    """

    strict_order: bool = Field(default=True, description="whether the tools have to be called in the expected order")
    typed: bool = Field(
        default=False, description="compare arguments as JSON values instead of as texts; pairing stays by text"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        expected = trace.expected_tool_calls
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        if not self._is_aligned(trace.tool_calls, expected):
            order = ", in their order" if self.strict_order else ""
            return _accuracy(trace.tool_calls, expected, None, f"the tools called are not those expected{order}")
        wanted = {call.name for call in expected if call.args is not None}
        if unrecorded := unrecorded_arguments(trace.tool_calls, wanted):
            return Score.skip(unrecorded)
        try:
            return self._aligned(trace.tool_calls, expected)
        except Unwritable as refusal:
            return Score.skip(str(refusal))

    def _is_aligned(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> bool:
        predicted, reference = [call.name for call in actual], [call.name for call in expected]
        if self.strict_order:
            return predicted == reference
        return sorted(predicted) == sorted(reference)

    def _aligned(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> Score:
        if not self.strict_order:
            actual, expected = sorted(actual, key=_sort_key), sorted(expected, key=_sort_key)
        shares = [self._share(wanted, made) for wanted, made in zip(expected, actual, strict=True)]
        faults = [wanted.name for wanted, share in zip(expected, shares, strict=True) if share < 1]
        explanation = f"arguments differ: {listed(faults)}" if faults else "the calls are as expected"
        return _accuracy(actual, expected, shares, explanation)

    def _share(self, wanted: ExpectedCall, made: ToolCall) -> float:
        if wanted.args is None:
            return 1.0
        if made.args is None:
            return 0.0
        if not wanted.args:
            return float(not made.args)
        hits = sum(name in made.args and self._is_equal(made.args[name], value) for name, value in wanted.args.items())
        return hits / len(wanted.args)

    def _is_equal(self, first: object, second: object) -> bool:
        return same(first, second) if self.typed else text(first) == text(second)


def _sort_key(call: ToolCall | ExpectedCall) -> tuple[str, ...]:
    args = call.args or {}
    return (call.name, *(part for name in sorted(args) for part in (name, text(args[name]))))


def _accuracy(
    actual: Sequence[ToolCall], expected: Sequence[ExpectedCall], shares: Sequence[float] | None, explanation: str
) -> Score:
    """Return the score; `shares` are those of the expected calls, None if the tools differ."""
    details: JsonObject = {
        "sequence_aligned": shares is not None,
        "predicted": [call.name for call in actual],
        "reference": [call.name for call in expected],
    }
    if shares is None:
        return Score(value=0.0, explanation=explanation, details=details)
    value = sum(shares) / len(shares) if shares else 1.0
    return Score(value=value, explanation=explanation, details=details | {"argument_scores": list(shares)})
