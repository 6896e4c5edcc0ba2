"""Were the expected tools called, invocation by invocation?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, Field

from ...definition.registry import Options, evaluator
from ...matching import TOO_DEEP, TooLong, unrecorded_arguments
from ...model import AgentTrace, ExpectedCall, Reference, Score, ToolCall
from ...text.messages import NO_EXPECTATION, counted, listed
from ..pairing import first_come

__all__ = ["MatchType", "ToolTrajectory", "average"]


def _member(word: object) -> object:
    """Return the enum member of a mode: `IN_ORDER` for `in-order`, `in order` and `IN_ORDER`, as ADK does."""
    return word.strip().upper().replace("-", "_").replace(" ", "_") if isinstance(word, str) else word


MatchType = Annotated[Literal["EXACT", "IN_ORDER", "ANY_ORDER"], BeforeValidator(_member)]


class _Differences(NamedTuple):
    missing: list[str]
    unexpected: list[str]


@evaluator(
    "adk:tool_trajectory",
    version=1,
    source="google-adk 2.13.0 TrajectoryEvaluator (tool_trajectory_avg_score)",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected; arguments that count were not recorded",
)
class ToolTrajectory(Options):
    """Whether the expected tools were called in one invocation: 1 or 0.

    `EXACT`: these calls and no others. `IN_ORDER`, `ANY_ORDER`: each expected call has a call of its own, and there
    may be others anywhere, so an empty list is always met. Arguments are equal as in Python: 1, 1.0 and true are the
    same, and none may be missing or added. One run is one invocation; `average` is for several.

    An expected call without arguments accepts any; in the peer, only a call without arguments.
    """

    match_type: MatchType = Field(default="EXACT", description="EXACT, IN_ORDER or ANY_ORDER")
    ignore_args: bool = Field(default=False, description="compare only the names of the tools")

    def __call__(self, trace: AgentTrace) -> Score:
        expected = trace.expected_tool_calls
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        compared = {call.name for call in expected if call.args is not None and not self.ignore_args}
        if unrecorded := unrecorded_arguments(trace.tool_calls, compared):
            return Score.skip(unrecorded)
        try:
            return self._score(self._differences(trace.tool_calls, expected))
        except TooLong as refusal:
            return Score.skip(str(refusal))
        except RecursionError:
            return Score.skip(TOO_DEEP)

    def _differences(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> _Differences:
        if self.match_type == "EXACT":
            return self._by_position(actual, expected)
        if self.match_type == "IN_ORDER":
            return _Differences(self._out_of_order(actual, expected), [])
        return _Differences(self._absent(actual, expected), [])

    def _by_position(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> _Differences:
        met = {at for at, (wanted, made) in enumerate(zip(expected, actual, strict=False)) if self._is(wanted, made)}
        return _Differences(
            [call.name for at, call in enumerate(expected) if at not in met],
            [call.name for at, call in enumerate(actual) if at not in met],
        )

    def _out_of_order(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> list[str]:
        """Return the names of the expected calls that are missing when the calls are matched in order."""
        met = 0
        for made in actual:
            if met < len(expected) and self._is(expected[met], made):
                met += 1
        return [call.name for call in expected[met:]]

    def _absent(self, actual: Sequence[ToolCall], expected: Sequence[ExpectedCall]) -> list[str]:
        paired = first_come(expected, actual, self._is)
        return [call.name for at, call in enumerate(expected) if at not in paired]

    def _is(self, wanted: ExpectedCall, made: ToolCall) -> bool:
        if wanted.name != made.name:
            return False
        return self.ignore_args or wanted.args is None or bool(made.args == wanted.args)

    def _score(self, differences: _Differences) -> Score:
        missing, unexpected = differences
        faults = [f"missing: {listed(missing)}"] if missing else []
        faults += [f"not expected: {listed(unexpected)}"] if unexpected else []
        return Score(
            value=float(not faults),
            explanation="; ".join(faults) or "the tools are those expected",
            details={"match_type": self.match_type, "missing": missing, "unexpected": unexpected},
        )


def average(
    function: ToolTrajectory, runs: Sequence[AgentTrace], *, references: Sequence[Reference], threshold: float = 1.0
) -> Score:
    """Return the mean over the invocations of a conversation; `references[i]` is the reference of `runs[i]`.

    `details.per_invocation` has the value of each, None if it was skipped; those are left out of the mean.
    Raises ValueError if the numbers of runs and references differ.
    """
    if len(runs) != len(references):
        raise ValueError(
            f"{counted(len(runs), 'invocation')} cannot be compared with {len(references)} expected ones; "
            "give one reference per run"
        )
    scores = [
        function(run.model_copy(update={"reference": reference}))
        for run, reference in zip(runs, references, strict=True)
    ]
    values = [score.value for score in scores if score.value is not None]
    per_invocation = [score.value for score in scores]
    if not values:
        return Score.skip("no invocation could be evaluated", per_invocation=per_invocation)
    value = sum(values) / len(values)
    return Score(
        value=value,
        passed=value >= threshold,
        threshold=threshold,
        explanation=f"{values.count(1.0)} of {counted(len(values), 'invocation')} called the expected tools",
        details={"per_invocation": per_invocation},
    )
