"""Floeval's builtin tool metrics: the right tools, the right arguments, and answers that are no errors?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..matching import is_comparable
from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..phrases import NO_CALLS, NO_EXPECTATION, listed
from ..registry import Options, evaluator
from .text import Unwritable, text

__all__ = ["ToolArgumentCorrectness", "ToolCallSuccessRate", "ToolSelectionAccuracy"]

_ERROR_PREFIXES: Final = ("error:", "exception:", "failed:", "traceback", "http error")
_HTTP_ERRORS: Final = frozenset({"400", "401", "403", "404", "429", "500", "502", "503", "504"})
_ERROR_PHRASES: Final = (
    "not found",
    "unauthorized",
    "forbidden",
    "timeout",
    "connection refused",
    "internal server error",
    "bad gateway",
    "service unavailable",
)
_SHORT_CHARACTERS: Final = 200


@evaluator(
    "floeval:tool_selection_accuracy",
    version=1,
    source="floeval 2.0.0 ToolSelectionAccuracyMetric",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="nobody said what was expected",
    threshold=0.8,
)
class ToolSelectionAccuracy(Options):
    """F1 of the set of tools called and the set of tools expected, to four digits.

    Only names are looked at, neither their order nor how often they were called. Two empty sets score 1. Passed is what
    this number passes; the peer asks its threshold before rounding, so a binary 0.7999999999999999 fails there.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        reference = trace.reference.expected_tool_calls if trace.reference else None
        if reference is None:
            return Score.skip(NO_EXPECTATION)
        actual, expected = {call.name for call in trace.tool_calls}, {call.name for call in reference}
        hits = len(actual & expected)
        precision = hits / len(actual) if actual else 0.0
        recall = hits / len(expected) if expected else 0.0
        f1 = 2 * precision * recall / (precision + recall) if hits else float(not actual and not expected)
        missing, extra = sorted(expected - actual), sorted(actual - expected)
        faults = [f"{what}: {listed(some)}" for what, some in (("missing", missing), ("not expected", extra)) if some]
        return Score(
            value=round(f1, 4),
            explanation="; ".join(faults) or "the tools are those expected",
            details={
                "precision": round(precision, 4),
                "recall": round(recall, 4),
                "expected_tools": sorted(expected),
                "actual_tools": sorted(actual),
                "missing_tools": missing,
                "extra_tools": extra,
            },
        )


@evaluator(
    "floeval:tool_argument_correctness",
    version=1,
    source="floeval 2.0.0 ToolArgumentCorrectnessMetric",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="nobody said what was expected, or arguments that count were not recorded",
    threshold=0.7,
)
class ToolArgumentCorrectness(Options):
    """Mean share of a tool's expected arguments that were passed, over the tools both expected and called.

    Only the last call of a tool counts, on either side, and a tool that was not called costs nothing; but when no tool
    is on both sides, the score is 0, even for two empty lists. Arguments are equal when their Python texts are, less
    white space around them and the difference between capitals and small letters: 1 is "1", None is "none", but 1 is
    neither 1.0 nor True. An argument that was not passed equals an empty text; arguments beyond the expected ones are
    free. The score has four digits.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        reference = trace.reference.expected_tool_calls if trace.reference else None
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


@evaluator(
    "floeval:tool_call_success_rate",
    version=1,
    source="floeval 2.0.0 ToolCallSuccessRateMetric",
    reads=("tool_calls",),
    skipped_when="no calls; no results recorded",
    threshold=0.8,
)
class ToolCallSuccessRate(Options):
    """Share of the tools' answers that do not read like an error, to four digits.

    An answer fails that begins with `error:`, `exception:`, `failed:`, `traceback` or `http error`, that is an HTTP
    error code alone, or that has under 200 characters and somewhere in it `not found`, `unauthorized`, `forbidden`,
    `timeout`, `connection refused`, `internal server error`, `bad gateway` or `service unavailable`. So an `error` in
    JSON does not fail, and "no forbidden words" does. An empty answer succeeds. A call without an answer is left out,
    unless an error was recorded for it.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        answered = [call for call in trace.tool_calls if call.result is not None or _has_failed(call)]
        if not answered:
            return Score.skip("no results of tools were recorded")
        return _rate(answered, [call.name for call in answered if call.result is None or _is_error(call.result)])


def _has_failed(call: ToolCall) -> bool:
    return call.status == "error" or call.error is not None


def _is_error(result: str) -> bool:
    answer = result.strip()
    lower = answer.lower()
    if lower.startswith(_ERROR_PREFIXES) or answer in _HTTP_ERRORS:
        return True
    return len(answer) < _SHORT_CHARACTERS and any(phrase in lower for phrase in _ERROR_PHRASES)


def _rate(answered: Sequence[ToolCall], failed: Sequence[str]) -> Score:
    return Score(
        value=round((len(answered) - len(failed)) / len(answered), 4),
        explanation=f"answered with an error: {listed(failed)}" if failed else "no answer reads like an error",
        details={
            "total_tool_calls": len(answered),
            "successful_calls": len(answered) - len(failed),
            "failed_calls": len(failed),
        },
    )
