"""Did the agent make the expected calls, in the expected order, often enough and fast enough?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field

from ..definition.registry import evaluator
from ..formats.tool_names import ToolNames
from ..matching import ArgumentOptions, TooLong, longest_common_subsequence, maximum_matching
from ..model import AgentTrace, ExpectedCall, JsonObject, Reference, Score, ToolCall
from ..text.messages import NO_EXPECTATION, counted, listed, were

__all__ = ["ToolTrajectory", "TrajectoryMode", "sequence_score"]

TrajectoryMode: TypeAlias = Literal["strict", "in_order", "any_order", "superset", "subset", "precision", "recall"]

_ALL_OR_NOTHING = frozenset({"strict", "superset", "subset"})
_ALLOWS_OMISSIONS = frozenset({"subset", "precision"})
_ALLOWS_EXTRAS = frozenset({"superset", "recall"})
_MOST_MOVED_PAIRS = 10_000


class _Aspect(NamedTuple):
    """A limit or minimum that is expected besides the sequence. `met` is None if the trace does not record it."""

    met: bool | None
    fault: str
    detail: JsonObject


@evaluator(
    "tool_trajectory",
    version=2,
    source="sequence: Dokimos ToolTrajectoryEvaluator; minimums and max_duration_ms: AgentV tool-trajectory",
    reads=("tool_calls", "reference.expected_tool_calls", "reference.minimums"),
    skipped_when="no reference says what was expected; tool calls were not recorded",
)
class ToolTrajectory(ArgumentOptions):
    """How far the calls are the expected ones, position by position, in order or in any order.

    `strict`: 1 when each position matches, else 0. `in_order`: longest common subsequence, `any_order`: as many pairs
    as can match, both over the longer list, so extra calls cost. `superset`: 1 when every expected call was made.
    `subset`: 1 when every call was expected. `precision`, `recall`: matched calls over made, over expected calls.

    If the reference limits durations or sets minimums, each of them is one aspect besides the sequence, whose weight is
    the number of expected calls. A limit on a call that was not made is not met, except in `subset` and `precision`,
    which allow omissions; a limit on a call whose duration was not recorded is left out.
    """

    tool_names: ToolNames = Field(
        default=ToolNames(),
        description="random endings of names that are cut before comparing: random4, mixed4, any4 or an expression",
    )
    mode: TrajectoryMode = Field(
        default="in_order", description="strict, in_order, any_order, superset, subset, precision or recall"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        trace = self.tool_names.applied(trace)
        reference = trace.reference
        if reference is None or (reference.expected_tool_calls is None and not reference.minimums):
            return Score.skip(NO_EXPECTATION)
        expected = reference.expected_tool_calls
        if undecidable := self.undecidable(expected or (), trace.tool_calls):
            return Score.skip(undecidable)
        try:
            pairs = self._pairs(expected or (), trace.tool_calls)
        except TooLong as refusal:
            return Score.skip(str(refusal))
        return self._score(trace.tool_calls, reference, pairs)

    def _pairs(self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall]) -> Mapping[int, int]:
        """Return {expected position: actual position} of the calls that match."""
        if self.mode == "strict":
            both = enumerate(zip(expected, actual, strict=False))
            return {at: at for at, (wanted, made) in both if self.accepts(wanted, made)}
        if self.mode == "in_order":
            return dict(longest_common_subsequence(expected, actual, self.accepts))
        return maximum_matching(expected, actual, self.accepts)

    def _score(self, actual: Sequence[ToolCall], reference: Reference, pairs: Mapping[int, int]) -> Score:
        expected = reference.expected_tool_calls
        latencies = self._latencies(expected or (), actual, pairs)
        minimums = _minimums(reference.minimums or {}, actual)
        aspects = [aspect for aspect in (*latencies, *minimums) if aspect.met is not None]
        value, weight, faults = 0.0, 0, [aspect.fault for aspect in aspects if not aspect.met]
        details: JsonObject = {"mode": self.mode}
        if expected is not None:
            value, weight = sequence_score(self.mode, len(pairs), actual=len(actual), expected=len(expected)), 1
            details |= _comparison_details(expected, actual, pairs)
            if value < 1:
                faults = self._sequence_faults(expected, actual, pairs) + faults
        if aspects:
            weight *= max(len(expected or ()), 1)
            value = (value * weight + sum(bool(aspect.met) for aspect in aspects)) / (weight + len(aspects))
            details["aspects"] = weight + len(aspects)
        return Score(
            value=value,
            explanation="; ".join(faults) or _as_expected(self.mode),
            details=details | _aspect_details(latencies, minimums),
        )

    def _sequence_faults(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Mapping[int, int]
    ) -> list[str]:
        """Return a text for each fault in this mode; each call is named once, and what the mode allows is left out."""
        moved = self._find_moved(expected, actual, pairs)
        altered = self.altered(expected, actual, {**pairs, **moved})
        known = {**pairs, **moved, **altered}
        taken = set(known.values())
        missing = [call.name for at, call in enumerate(expected) if at not in known]
        unexpected = [call.name for at, call in enumerate(actual) if at not in taken]
        faults = [_share(self.mode, len(pairs), actual=len(actual), expected=len(expected))]
        if moved:
            where = "at another position" if self.mode == "strict" else "in another order"
            faults.append(f"{where}: {listed([expected[at].name for at in moved])}")
        if altered:
            faults.append(_describe_altered([expected[at].name for at in altered]))
        if missing and self.mode not in _ALLOWS_OMISSIONS:
            faults.append(f"missing: {listed(missing)}")
        if unexpected and self.mode not in _ALLOWS_EXTRAS:
            faults.append(f"{'not expected' if expected else 'no call was expected; called'}: {listed(unexpected)}")
        return [fault for fault in faults if fault]

    def _find_moved(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Mapping[int, int]
    ) -> dict[int, int]:
        """Return {expected position: actual position} of calls without a partner that match at another position."""
        taken = set(pairs.values())
        wanted = [at for at in range(len(expected)) if at not in pairs]
        left = [at for at in range(len(actual)) if at not in taken]
        if len(wanted) * len(left) > _MOST_MOVED_PAIRS:
            return {}
        matching = maximum_matching(wanted, left, lambda missing, other: self.accepts(expected[missing], actual[other]))
        return {wanted[at]: left[other] for at, other in matching.items()}

    def _latencies(
        self, expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Mapping[int, int]
    ) -> list[_Aspect]:
        return [
            _latency(wanted, actual[pairs[position]] if position in pairs else None)
            for position, wanted in enumerate(expected)
            if wanted.max_duration_ms is not None and (position in pairs or self.mode not in _ALLOWS_OMISSIONS)
        ]


def sequence_score(mode: TrajectoryMode, matched: int, *, actual: int, expected: int) -> float:
    """Return the score in [0, 1] of `matched` pairs among `actual` and `expected` calls; 1.0 if there are no calls."""
    if not actual and not expected:
        return 1.0
    longer = max(actual, expected)
    if mode in _ALL_OR_NOTHING:
        return float(matched == {"strict": longer, "superset": expected, "subset": actual}[mode])
    over = {"precision": actual, "recall": expected}.get(mode, longer)
    return matched / over if over else 0.0


def _comparison_details(
    expected: Sequence[ExpectedCall], actual: Sequence[ToolCall], pairs: Mapping[int, int]
) -> JsonObject:
    paired = set(pairs.values())
    return {
        "matched": len(pairs),
        "actual_count": len(actual),
        "expected_count": len(expected),
        "actual": [call.name for call in actual],
        "expected": [call.name for call in expected],
        "missing": [call.name for position, call in enumerate(expected) if position not in pairs],
        "unexpected": [call.name for position, call in enumerate(actual) if position not in paired],
    }


def _share(mode: TrajectoryMode, matched: int, *, actual: int, expected: int) -> str:
    """Return the text of how many calls matched, of those that the mode counts; "" if it counts none."""
    if mode in _ALLOWS_OMISSIONS:
        return f"{matched} of {counted(actual, 'call')} {were(matched)} expected" if actual else "no call was made"
    return f"{matched} of {counted(expected, 'expected call')} matched" if expected else ""


def _describe_altered(names: Sequence[str]) -> str:
    return f"{listed(list(dict.fromkeys(names)))} {were(len(set(names)))} called with other arguments"


def _as_expected(mode: TrajectoryMode) -> str:
    if mode in _ALLOWS_OMISSIONS:
        return "every call was expected"
    return "every expected call was made" if mode in _ALLOWS_EXTRAS else "the calls are as expected"


def _latency(wanted: ExpectedCall, made: ToolCall | None) -> _Aspect:
    limit_ms = wanted.max_duration_ms or 0.0
    duration_ms = made.duration_ms if made else None
    detail: JsonObject = {"name": wanted.name, "max_duration_ms": limit_ms, "duration_ms": duration_ms}
    if made is None:
        return _Aspect(met=False, fault=f"{wanted.name} has a time limit and was not called", detail=detail)
    if duration_ms is None:
        return _Aspect(met=None, fault=f"{wanted.name}: its duration was not recorded", detail=detail)
    fault = f"{wanted.name} took {duration_ms:g} ms, allowed are {limit_ms:g} ms"
    return _Aspect(met=duration_ms <= limit_ms, fault=fault, detail=detail)


def _minimums(minimums: Mapping[str, float], actual: Sequence[ToolCall]) -> list[_Aspect]:
    if not minimums:
        return []
    made = Counter(call.name for call in actual)
    return [
        _Aspect(
            met=made[name] >= wanted,
            fault=f"{name} was called {counted(made[name], 'time')}, {wanted} {were(1 if wanted == 1 else 2)} wanted",
            detail={"name": name, "minimum": wanted, "made": made[name]},
        )
        for name, wanted in minimums.items()
    ]


def _aspect_details(latencies: Sequence[_Aspect], minimums: Sequence[_Aspect]) -> JsonObject:
    aspects_by_name = {"latencies": latencies, "minimums": minimums}
    details: JsonObject = {
        key: [{**aspect.detail, "met": aspect.met} for aspect in aspects]
        for key, aspects in aspects_by_name.items()
        if aspects
    }
    warnings = [aspect.fault for aspect in latencies if aspect.met is None]
    return details | {"warnings": warnings} if warnings else details
