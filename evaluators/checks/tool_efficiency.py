"""Did the agent ask the same thing twice, or run in a circle?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import Field

from ..matching import MAX_PAIRS, ArgumentOptions, TooLong, is_comparable
from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..phrases import NO_CALLS, counted, listed
from ..registry import evaluator
from .tool_error import ToolError

__all__ = ["ToolEfficiency"]

LOOP_LENGTH: Final = 3  # equal calls in a row that are a loop even when each was the retry of a failure

_FAILURE = ToolError()


@dataclass(slots=True)
class _Group:
    """Calls that ask the same: the first, which the others are compared with, and the latest."""

    first: ToolCall
    latest: ToolCall


@dataclass(slots=True)
class _Finding:
    """What one walk over the calls sees."""

    compared: int = 0
    pairs: int = 0
    retries: int = 0
    loop: bool = False
    redundant: list[JsonObject] = field(default_factory=list)
    consecutive: list[JsonObject] = field(default_factory=list)


@evaluator(
    "tool_efficiency",
    version=1,
    source="Dokimos ToolEfficiencyEvaluator; the excuse for retries is ours",
    reads=("tool_calls",),
    skipped_when="no calls; no arguments recorded",
)
class ToolEfficiency(ArgumentOptions):
    """Share of the tool calls that did not repeat an earlier one: a signal, not a gate.

    A call is redundant when an earlier one had the same tool and matching arguments. Calls whose arguments were not
    recorded cannot be compared and are left out. `details.loop` is true when a call repeats the one right before it
    although that went well, or when the same call stands three times in a row.
    """

    ignore_retry_after_error: bool = Field(
        default=True,
        description="trying a failed call again is no waste; on, since tool_error already counts the failure",
    )

    def __call__(self, trace: AgentTrace) -> Score:
        calls = trace.tool_calls
        if not calls:
            return Score.skip(NO_CALLS)
        try:
            finding = self._walk(calls)
        except TooLong as refusal:
            return Score.skip(str(refusal))
        if not finding.compared:
            return Score.skip("the arguments of the tool calls were not recorded", not_compared=len(calls))
        return _score(finding, total=len(calls))

    def _walk(self, calls: Sequence[ToolCall]) -> _Finding:
        finding = _Finding()
        groups: defaultdict[str, list[_Group]] = defaultdict(list)
        before: ToolCall | None = None
        row = 1
        for position, call in enumerate(calls):
            repeats = before is not None and self._repeats(before, call)
            row = row + 1 if repeats else 1
            if before is not None and repeats:
                retry = _failed(before)
                finding.consecutive.append({"position": position, "name": call.name, "retry": retry})
                finding.loop |= not retry or row >= LOOP_LENGTH
            before = call
            if self._can_compare(call):
                finding.compared += 1
                self._place(call, position, groups[call.name], finding)
        return finding

    def _place(self, call: ToolCall, position: int, groups: list[_Group], finding: _Finding) -> None:
        finding.pairs += len(groups)
        if finding.pairs > MAX_PAIRS:  # many different calls; a loop, however long, has few
            raise TooLong(finding.compared, len(groups))
        for group in groups:
            if self._repeats(group.first, call):
                break
        else:
            groups.append(_Group(call, call))
            return
        if self.ignore_retry_after_error and _failed(group.latest):
            finding.retries += 1
        else:
            finding.redundant.append({"position": position, "name": call.name})
        group.latest = call

    def _can_compare(self, call: ToolCall) -> bool:
        return is_comparable(call) or not self.matcher_for(call.name).needs_arguments

    def _repeats(self, earlier: ToolCall, call: ToolCall) -> bool:
        if earlier.name != call.name:
            return False
        matcher = self.matcher_for(call.name)
        if earlier.args is not None and call.args is not None:
            return matcher.accepts(earlier.args, call.args)
        if not matcher.needs_arguments:
            return True
        both_text = earlier.args is None and call.args is None
        return both_text and call.args_text is not None and earlier.args_text == call.args_text


def _failed(call: ToolCall) -> bool:
    return call.status == "not_executed" or _FAILURE.detected(call) is not None


def _score(finding: _Finding, *, total: int) -> Score:
    redundant = len(finding.redundant)
    details: JsonObject = {
        "total": finding.compared,
        "distinct": finding.compared - redundant - finding.retries,
        "retries": finding.retries,
        "redundant": finding.redundant,
        "consecutive_duplicates": finding.consecutive,
        "loop": finding.loop,
        "not_compared": total - finding.compared,
    }
    return Score(
        value=(finding.compared - redundant) / finding.compared,
        explanation=_explanation(finding),
        details=details,
    )


def _explanation(finding: _Finding) -> str:
    if not finding.redundant:
        text = "no call was repeated" if not finding.retries else "no call was repeated but to retry a failure"
    else:
        names = list(dict.fromkeys(call["name"] for call in finding.redundant))
        text = (
            f"{len(finding.redundant)} of {counted(finding.compared, 'call')} repeated an earlier one: {listed(names)}"
        )
    return f"{text}; the same call stands several times in a row" if finding.loop else text
