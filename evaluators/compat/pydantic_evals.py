"""Pydantic Evals: which tools ran, in what order, how often, and with what arguments?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import eq
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from ..definition.registry import Options, evaluator
from ..matching import TOO_DEEP, TooLong, is_comparable, longest_common_subsequence
from ..model import AgentTrace, ExpectedCall, JsonObject, Score, ToolCall
from ..text.messages import NO_EXPECTATION, counted
from .overlap import Overlap

__all__ = ["ArgumentCorrectness", "MaxToolCalls", "ToolCorrectness", "TrajectoryMatch"]


class _Attempts(Options):
    include_failed: bool = Field(default=False, description="whether calls that ended in an error count, too")

    def _calls(self, trace: AgentTrace) -> list[ToolCall]:
        """Return the calls that count: never those that were not executed, or for which that is not recorded."""
        leaves_out = {"not_executed", None} if self.include_failed else {"not_executed", None, "error"}
        return [call for call in trace.tool_calls if call.status not in leaves_out]


@evaluator(
    "pydantic_evals:tool_correctness",
    version=1,
    source="pydantic-evals 2.62.0 ToolCorrectness",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected",
)
class ToolCorrectness(_Attempts):
    """1 if each tool was called as often as expected, else 0.

    Only names count. An extra call fails, unless `allow_extra`; a missing call always fails. Failed calls do not count
    by default, so a tool that failed and was called again was called once. The calls of this agent count, but not those
    of its sub-agents; the peer counts all calls in the span tree.
    """

    allow_extra: bool = Field(default=False, description="whether calls that were not expected are allowed")

    def __call__(self, trace: AgentTrace) -> Score:
        if (reference := trace.expected_tool_calls) is None:
            return Score.skip(NO_EXPECTATION)
        actual = Counter(call.name for call in self._calls(trace))
        expected = Counter(call.name for call in reference)
        missing, extra = expected - actual, actual - expected
        faults = [f"missing tools: {_numbered(missing)}"] if missing else []
        if extra and not self.allow_extra:
            faults.append(f"unexpected tools: {_numbered(extra)}")
        reason = "; ".join(faults) or None
        return Score(
            value=float(not faults),
            explanation=reason or "the tools called are those expected",
            details={"missing": dict(missing), "extra": dict(extra), "reason": reason},
        )


def _numbered(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name!r} (x{count})" for name, count in sorted(counts.items()))


@evaluator(
    "pydantic_evals:trajectory_match",
    version=1,
    source="pydantic-evals 2.62.0 TrajectoryMatch",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected",
)
class TrajectoryMatch(_Attempts):
    """How far the sequence of the tools called is the expected one.

    `exact`: 1 if both are equal, else 0. `in_order`: F1 of the longest common subsequence. `any_order`: F1 of the names
    that both have, each as often as both have it. Extra calls cost precision, missing ones recall. Two empty lists
    score 1, one empty list 0. Only names count. The peer has no threshold here; `passed` is by ours.
    """

    order: Literal["exact", "in_order", "any_order"] = Field(
        default="in_order", description="exact, in_order or any_order"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        if (reference := trace.expected_tool_calls) is None:
            return Score.skip(NO_EXPECTATION)
        actual, expected = [call.name for call in self._calls(trace)], [call.name for call in reference]
        if self.order == "exact":
            return _exact(actual, expected)
        if not actual and not expected:
            reason = "both actual and expected trajectories are empty"
            return Score(value=1.0, explanation=reason, details={"order": self.order, "reason": reason})
        try:
            return self._graded(actual, expected)
        except TooLong as refusal:
            return Score.skip(str(refusal))

    def _graded(self, actual: Sequence[str], expected: Sequence[str]) -> Score:
        if self.order == "any_order":
            word, matched = "multiset overlap", (Counter(expected) & Counter(actual)).total()
        else:
            word, matched = "LCS", len(longest_common_subsequence(actual, expected, eq))
        overlap = Overlap(matched, len(actual), len(expected))
        precision, recall, f1 = overlap.precision, overlap.recall, overlap.f1
        reason = (
            f"{word}={matched}, precision={matched}/{len(actual)}={precision:.3f}, "
            f"recall={matched}/{len(expected)}={recall:.3f}, F1={f1:.3f} "
            f"(expected: {list(expected)!r}, actual: {list(actual)!r})"
        )
        return Score(
            value=f1,
            explanation=f"{matched} of {counted(len(expected), 'expected call')} matched; {len(actual)} were made",
            details={"order": self.order, "precision": precision, "recall": recall, "reason": reason},
        )


def _exact(actual: Sequence[str], expected: Sequence[str]) -> Score:
    if actual == expected:
        reason, explanation = f"actual trajectory matches expected: {actual!r}", "the tools called are those expected"
    else:
        reason = f"actual trajectory {actual!r} does not equal expected {expected!r}"
        explanation = "the tools called are not those expected, in their order"
    return Score(value=float(actual == expected), explanation=explanation, details={"order": "exact", "reason": reason})


class _Finding(NamedTuple):
    """The fault of the call of one tool, in the peer's words and without values; `reason` is None without a fault."""

    reason: str | None = None
    is_peers_wording: bool = True


class _NotRecorded(ValueError):
    """The arguments that count were not recorded."""


@evaluator(
    "pydantic_evals:argument_correctness",
    version=1,
    source="pydantic-evals 2.62.0 ArgumentCorrectness",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no tool call was expected, or the arguments that count were not recorded",
)
class ArgumentCorrectness(_Attempts):
    """1 if one call of the tool, the first by default, has the expected arguments, else 0.

    Checks each tool of the reference or, like pydantic-evals, only `tool_name`; of a tool that is expected several
    times, the first expected call. `subset` allows additional arguments, but only at the top level: an object inside
    has to be equal as a whole. Values are equal as in Python: 1, 1.0 and True are the same, NaN equals nothing. A tool
    that was not called fails, and so does an `occurrence` that does not exist, such as any negative number. Arguments
    that are not a JSON object fail.
    """

    tool_name: str | None = Field(default=None, description="the tool to check; all of the reference if unset")
    match_mode: Literal["exact", "subset"] = Field(default="subset", description="exact or subset")
    occurrence: Literal["first", "last"] | int = Field(
        default="first", description="which call of the tool: first, last, or its number from 0"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        calls = reversed(trace.expected_tool_calls or ())  # so that the first of each name counts
        expected = {call.name: call for call in calls}
        if self.tool_name is not None:
            expected = {name: call for name, call in expected.items() if name == self.tool_name}
        if not expected:
            return Score.skip(NO_EXPECTATION if self.tool_name is None else f"no expected call of {self.tool_name}")
        made = _by_name(self._calls(trace))
        try:
            return _score_findings(
                [self._finding(wanted, made.get(name, ())) for name, wanted in sorted(expected.items())]
            )
        except _NotRecorded as refusal:
            return Score.skip(str(refusal))
        except RecursionError:
            return Score.skip(TOO_DEEP)

    def _finding(self, wanted: ExpectedCall, made: Sequence[ToolCall]) -> _Finding:
        if not made:
            return _Finding(f"No calls to tool {wanted.name!r} were recorded.")
        if (call := self._selected(made)) is None:
            return _Finding(
                f"Tool {wanted.name!r} was called {len(made)} time(s); occurrence={self.occurrence!r} does not select "
                "any of them (must be 'first', 'last', or a 0-based index; negative ints are not supported)."
            )
        if wanted.args is None:
            return _Finding()
        if not is_comparable(call):
            raise _NotRecorded(f"the arguments of {call.name} (occurrence {self.occurrence}) were not recorded")
        if call.args is None:
            return _Finding(f"Tool {wanted.name!r} arguments are not a JSON object", is_peers_wording=False)
        return self._compare(wanted.name, call.args, wanted.args)

    def _selected(self, made: Sequence[ToolCall]) -> ToolCall | None:
        if isinstance(self.occurrence, str):
            return made[0] if self.occurrence == "first" else made[-1]
        return made[self.occurrence] if 0 <= self.occurrence < len(made) else None

    def _compare(self, tool: str, actual: JsonObject, expected: JsonObject) -> _Finding:
        missing = [f"missing key {key!r}" for key in expected if key not in actual]
        others = [f"key {key!r} differs" for key in expected if key in actual and actual[key] != expected[key]]
        if self.match_mode == "exact":
            others += [f"unexpected key {key!r}" for key in actual if key not in expected]
        if not missing and not others:
            return _Finding()
        return _Finding(f"Tool {tool!r} argument mismatch: {'; '.join(missing + others)}", is_peers_wording=not others)


def _by_name(calls: Iterable[ToolCall]) -> Mapping[str, Sequence[ToolCall]]:
    made: defaultdict[str, list[ToolCall]] = defaultdict(list)
    for call in calls:
        made[call.name].append(call)
    return made


def _score_findings(findings: Sequence[_Finding]) -> Score:
    faults = [finding.reason for finding in findings if finding.reason]
    reason = "; ".join(faults) or None
    return Score(
        value=float(not faults),
        explanation=reason or "the arguments are those expected",
        details={"reason": reason} if all(finding.is_peers_wording for finding in findings) else {},
    )


@evaluator(
    "pydantic_evals:max_tool_calls",
    version=1,
    source="pydantic-evals 2.62.0 MaxToolCalls",
    reads=("tool_calls",),
    skipped_when="never",
)
class MaxToolCalls(_Attempts):
    """1 if no more calls were made than allowed, else 0. Failed calls count by default: they cost time and tokens."""

    example: ClassVar[Mapping[str, Any]] = {"max_calls": 10}

    max_calls: int = Field(ge=0, description="the most calls that pass")
    include_failed: bool = Field(default=True, description="whether calls that ended in an error count, too")

    def __call__(self, trace: AgentTrace) -> Score:
        count = len(self._calls(trace))
        reason = f"{count} tool call(s), budget={self.max_calls}"
        return Score(
            value=float(count <= self.max_calls),
            explanation=f"{counted(count, 'tool call')}, allowed are {self.max_calls}",
            details={"tool_calls": count, "reason": reason},
        )
