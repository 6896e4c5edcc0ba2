"""Did the agent repeat calls, or run in a loop?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import Field

from ..definition.recorded import why_open
from ..definition.registry import evaluator
from ..matching import ArgumentOptions, TooLong
from ..model import AgentTrace, JsonObject, Score
from ..text.messages import NO_CALLS, counted, listed
from .failure.tool_kind import ToolKind
from .repetition import CallLoop, Step, are_polling, find_loops, read_steps

__all__ = ["ToolEfficiency"]

_LOOPS: Final = ("same_call", "cycle", "fruitless_search")


@dataclass(frozen=True, slots=True)
class _Repeats:
    """The calls that repeated an earlier one: those without a new result, the numbers of those with each
    excuse, and the number of those whose results were not recorded."""

    wasted: Sequence[Step]
    excused: Mapping[str, int]
    unknown: int

    def with_loops(self, loops: Sequence[CallLoop]) -> _Repeats:
        """Return a copy in which the calls of loops count as wasted, even if they have an excuse."""
        wasted = {step.position: step for step in (*self.wasted, *(step for loop in loops for step in loop.wasted))}
        return replace(self, wasted=[wasted[position] for position in sorted(wasted)])


@evaluator(
    "tool_efficiency",
    version=4,
    source="Dokimos ToolEfficiencyEvaluator; what is new, the excuses and the loops are ours",
    reads=("tool_calls", "messages", "gaps"),
    skipped_when="no calls; calls at the end that nothing answers, without an agent span; no arguments recorded; no "
    "results of repeated calls recorded",
    threshold=None,
)
class ToolEfficiency(ArgumentOptions):
    """Whether the agent ran in a loop: the value is the share of the tool calls that had a new result.

    A call is wasted if an earlier one had the same tool, matching arguments and the same result or failure, and nothing
    between them could have changed it. Wasted calls alone pass; a loop does not: the same call three times in a row
    with the same result, a cycle of calls that has the same results three times in a row, or ten or more near-identical
    searches in a row that find nothing. Polling that ends in another result is not a loop, and neither are up to eleven
    equal calls in a row that fail for a reason that passes, such as a limit of requests.
    """

    same_call: bool = Field(
        default=True, description="the same call three times in a row with the same result is a loop"
    )
    cycle: bool = Field(
        default=True, description="two to six calls with the same results three times in a row are a loop"
    )
    fruitless_search: bool = Field(default=True, description="ten near-identical searches that find nothing are a loop")
    ignore_retry_after_error: bool = Field(
        default=True,
        description="to repeat a failed call is not wasted; on, since tool_error already counts the failure",
    )
    ignore_after_write: bool = Field(
        default=True, description="a call may be repeated after a call that may have changed something"
    )
    ignore_polling: bool = Field(
        default=True, description="repeated calls are not wasted if the result is another one in the end"
    )
    ignore_moving: bool = Field(
        default=True,
        description="clocks, sensors, and tools that make progress by themselves (scroll, press, next, screenshot), "
        "may be repeated",
    )
    tool_kinds: Mapping[str, ToolKind] = Field(
        default_factory=dict,
        description="the kind of a tool whose name misleads: reader, probe, checker, runner, writer",
    )

    def __call__(self, trace: AgentTrace) -> Score:
        calls = trace.tool_calls
        if not calls:
            return Score.skip(NO_CALLS)
        if (reason := why_open(trace)) is not None:
            return Score.skip(reason)
        try:
            steps = read_steps(
                calls, matcher_for=self.matcher_for, tool_kinds=self.tool_kinds, moves=self.ignore_moving
            )
        except TooLong as refusal:
            return Score.skip(str(refusal))
        compared = [step for step in steps if step.same is not None]
        if not compared:
            return Score.skip("the arguments of the tool calls were not recorded", not_compared=len(calls))
        repeats = self._repeats(steps)
        loops = find_loops(steps, [rule for rule in _LOOPS if getattr(self, rule)])
        repeats = repeats.with_loops(loops)
        if repeats.unknown and not repeats.wasted and not loops:
            return Score.skip("the results of repeated calls were not recorded", repeated=repeats.unknown)
        return _score(repeats, loops, compared=len(compared), total=len(calls))

    def _repeats(self, steps: Sequence[Step]) -> _Repeats:
        wasted: list[Step] = []
        excused: dict[str, int] = {}
        unknown = 0
        latest: dict[int, Step] = {}
        last_change = -1
        polling = are_polling(steps)
        for step in steps:
            earlier = None if step.same is None or step.is_pause else latest.get(step.same)
            if earlier is not None:
                excuse = self._excuse(earlier, step, is_polling=polling[step.position], last_change=last_change)
                if excuse == "unknown":
                    unknown += 1
                elif excuse is not None:
                    excused[excuse] = excused.get(excuse, 0) + 1
                elif earlier.outcome == step.outcome and step.tells:
                    wasted.append(step)
            if step.same is not None:
                latest[step.same] = step
            if step.changes:
                last_change = step.position
        return _Repeats(wasted, excused, unknown)

    def _excuse(self, earlier: Step, step: Step, *, is_polling: bool, last_change: int) -> str | None:
        """Return the name of the excuse for a repeated call; "unknown" if an outcome was not recorded; None without
        an excuse."""
        if self.ignore_retry_after_error and earlier.has_failed:
            return "retry"
        if self.ignore_after_write and last_change > earlier.position:
            return "after_write"
        if earlier.outcome is None or step.outcome is None:
            return "unknown" if step.tells else None
        return "polling" if self.ignore_polling and is_polling else None


def _score(repeats: _Repeats, loops: Sequence[CallLoop], *, compared: int, total: int) -> Score:
    wasted = len(repeats.wasted)
    details: JsonObject = {
        "total": compared,
        "wasted": [{"position": step.position, "name": step.call.name} for step in repeats.wasted],
        "excused": dict(repeats.excused),
        "loops": [{"rule": loop.rule, "tools": list(loop.tools), "calls": len(loop.steps)} for loop in loops],
        "loop": bool(loops),
        "unknown": repeats.unknown,
        "not_compared": total - compared,
    }
    return Score(
        value=(compared - wasted) / compared,
        label="loop" if loops else None,
        passed=not loops,
        explanation=_explanation(repeats, loops, compared=compared),
        details=details,
    )


_EXCUSES: Final[Mapping[str, str]] = {
    "retry": "to retry a failure",
    "after_write": "after something may have changed",
    "polling": "until the answer changed",
}


def _explanation(repeats: _Repeats, loops: Sequence[CallLoop], *, compared: int) -> str:
    if repeats.wasted:
        names = list(dict.fromkeys(step.call.name for step in repeats.wasted))
        text = f"{len(repeats.wasted)} of {counted(compared, 'call')} brought nothing new: {listed(names)}"
    elif repeats.excused:
        reasons = " or ".join(text for excuse, text in _EXCUSES.items() if excuse in repeats.excused)
        text = f"calls were repeated only {reasons}"
    else:
        text = "no call was repeated"
    if repeats.unknown:
        text += f" ({counted(repeats.unknown, 'repeat')} without a recorded result)"
    return "; ".join([text, *map(str, loops)])
