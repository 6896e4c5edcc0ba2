"""Were the expected arguments passed, as Floeval compares them?"""

from __future__ import annotations

from collections.abc import Mapping

from ...definition.registry import Options, evaluator
from ...matching import is_comparable
from ...model import AgentTrace, JsonObject, Score
from ...text.messages import NO_EXPECTATION, listed
from ..python_text import Unwritable, text

__all__ = ["ToolArgumentCorrectness"]


@evaluator(
    "floeval:tool_argument_correctness",
    version=1,
    source="floeval 2.0.0 ToolArgumentCorrectnessMetric",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected, or arguments that count were not recorded",
    threshold=0.7,
)
class ToolArgumentCorrectness(Options):
    """Mean share of a tool's expected arguments that were passed, over the tools both expected and called.

    On both sides only the last call of a tool counts, and a tool that was not called costs nothing; but if no tool is
    on both sides, the score is 0, even for two empty lists. Arguments are equal if their Python texts are, without
    white space around them and regardless of case: 1 is "1", None is "none", but 1 is neither 1.0 nor True. An argument
    that was not passed equals an empty text; additional arguments cost nothing. The score has four digits.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        reference = trace.expected_tool_calls
        if reference is None:
            return Score.skip(NO_EXPECTATION)
        expected = {call.name: call for call in reference}
        last = {call.name: call for call in trace.tool_calls}
        pairs = [(wanted, last[name]) for name, wanted in sorted(expected.items()) if name in last]
        if not pairs:
            return Score(value=0.0, explanation="no tool was both expected and called", details={"per_tool": {}})
        if unrecorded := [made.name for wanted, made in pairs if wanted.args and not is_comparable(made)]:
            return Score.skip(f"the arguments of {unrecorded[0]} (its last call) were not recorded")
        try:
            return _mean({made.name: _share(wanted.args or {}, made.args or {}) for wanted, made in pairs})
        except Unwritable as refusal:
            return Score.skip(str(refusal))


def _share(expected: JsonObject, actual: JsonObject) -> float:
    if not expected:
        return 1.0
    return sum(_folded(actual.get(name, "")) == _folded(value) for name, value in expected.items()) / len(expected)


def _folded(value: object) -> str:
    return text(value).strip().lower()


def _mean(shares: Mapping[str, float]) -> Score:
    wrong = [name for name, share in shares.items() if share < 1]
    return Score(
        value=round(sum(shares.values()) / len(shares), 4),
        explanation=f"arguments differ: {listed(wrong)}" if wrong else "the arguments are those expected",
        details={"per_tool": {name: round(share, 4) for name, share in shares.items()}},
    )
