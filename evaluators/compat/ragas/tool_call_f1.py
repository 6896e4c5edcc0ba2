"""Are the tool calls those of the reference as a set, as Ragas counts it?"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from ...definition.registry import Options, evaluator
from ...matching import TOO_DEEP, unrecorded_arguments
from ...model import AgentTrace, ExpectedCall, Score, ToolCall
from ...text.messages import NO_EXPECTATION, counted, listed
from ..likeness import frozen
from ..overlap import Overlap

__all__ = ["ToolCallF1"]

_Frozen: TypeAlias = tuple[str, Hashable]


@evaluator(
    "ragas:tool_call_f1",
    version=1,
    source="ragas 0.4.3 metrics.collections.ToolCallF1",
    reads=("tool_calls", "reference.expected_tool_calls"),
    skipped_when="no reference says what was expected, or arguments were not recorded",
)
class ToolCallF1(Options):
    """F1 of the set of calls made and the set of calls expected, name and arguments together, to four digits.

    Both are sets: neither order nor repeated calls count. Two empty sets score 0. Arguments are equal as in Python: 1,
    1.0 and True are the same, NaN equals nothing; the order matters in lists, but not among keys. A tool that was
    expected with any arguments is compared only by name.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        expected = trace.expected_tool_calls
        if expected is None:
            return Score.skip(NO_EXPECTATION)
        by_name = {call.name for call in expected if call.args is None}
        if unrecorded := unrecorded_arguments(trace.tool_calls, {call.name for call in trace.tool_calls} - by_name):
            return Score.skip(unrecorded)
        try:
            return _f1(
                {_frozen(call, by_name) for call in trace.tool_calls}, {_frozen(call, by_name) for call in expected}
            )
        except RecursionError:
            return Score.skip(TOO_DEEP)


def _frozen(call: ToolCall | ExpectedCall, by_name: set[str]) -> _Frozen:
    if call.name in by_name:
        return call.name, None
    if isinstance(call, ToolCall) and call.args is None:
        return call.name, call.args_text
    return call.name, frozen(call.args)


def _f1(actual: set[_Frozen], expected: set[_Frozen]) -> Score:
    hits, extra, missing = actual & expected, actual - expected, expected - actual
    unlike = (("missing", _names(missing)), ("not expected", _names(extra)))
    faults = [f"{word}: {listed(names)}" for word, names in unlike if names]
    return Score(
        value=round(Overlap(len(hits), len(actual), len(expected)).f1, 4),
        explanation="; ".join(faults) or f"{counted(len(hits), 'distinct call')}, as expected",
        details={
            "true_positives": len(hits),
            "false_positives": len(extra),
            "false_negatives": len(missing),
            "missing": _names(missing),
            "unexpected": _names(extra),
        },
    )


def _names(calls: set[_Frozen]) -> list[str]:
    return sorted(name for name, _ in calls)
