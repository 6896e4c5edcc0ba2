"""Did the agent repeat calls, as Dokimos counts it?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from ...definition.registry import evaluator
from ...matching import MAX_PAIRS, TooLong, unrecorded_arguments
from ...model import AgentTrace, Score, ToolCall
from ...text.messages import counted, listed
from .arguments import MatcherOptions
from .refusal import nameless

__all__ = ["ToolEfficiency"]


@evaluator(
    "dokimos:tool_efficiency",
    version=1,
    source="Dokimos ToolEfficiencyEvaluator (commit 879d52b)",
    reads=("tool_calls",),
    skipped_when="arguments of a tool that was called again not recorded",
)
class ToolEfficiency(MatcherOptions):
    """Distinct calls over all calls; 1 without calls.

    A call is redundant if an earlier distinct one has its name and matches, the earlier as the expected side, so that
    with SUBSET and SUPERSET the order of the calls matters. Results do not count: the retry of a failure is redundant.
    `consecutive_duplicates` compares each call with the one right before it, whether that was redundant or not.
    """

    def __call__(self, trace: AgentTrace) -> Score:
        calls = trace.tool_calls
        if refusal := nameless(calls) or self._incomparable(calls):
            return Score.skip(refusal)
        if not calls:
            details: dict[str, object] = {"redundant_calls": [], "consecutive_duplicates": []}
            return Score(value=1, explanation="no tools were called", details=details)
        try:
            return self._score(calls)
        except TooLong as too_long:
            return Score.skip(str(too_long))

    def _score(self, calls: Sequence[ToolCall]) -> Score:
        redundant = self._redundant(calls)
        distinct = len(calls) - len(redundant)
        names = list(dict.fromkeys(redundant))
        repeated = f"{len(redundant)} of {counted(len(calls), 'call')} repeated an earlier one: {listed(names)}"
        return Score(
            value=distinct / len(calls),
            explanation=repeated if redundant else "no call was repeated",
            details={
                "total_calls": len(calls),
                "distinct_calls": distinct,
                "redundant_calls": redundant,
                "consecutive_duplicates": [
                    call.name for before, call in pairwise(calls) if self._repeats(before, call)
                ],
            },
        )

    def _redundant(self, calls: Sequence[ToolCall]) -> list[str]:
        """Return the names of the calls that repeat an earlier distinct one. Raises TooLong."""
        seen: defaultdict[str, list[ToolCall]] = defaultdict(list)
        redundant, pairs = [], 0
        for call in calls:
            earlier = seen[call.name]
            pairs += len(earlier)
            if pairs > MAX_PAIRS:  # many different calls; a loop, however long, has few
                raise TooLong(len(calls), len(earlier))
            if any(self._repeats(distinct, call) for distinct in earlier):
                redundant.append(call.name)
            else:
                earlier.append(call)
        return redundant

    def _repeats(self, earlier: ToolCall, call: ToolCall) -> bool:
        if earlier.name != call.name:
            return False
        matcher = self.matcher_for(call.name)
        if not matcher.needs_arguments:
            return True
        if earlier.args is None or call.args is None:  # text that is not a JSON object can only be equal
            return earlier.args is None and call.args is None and earlier.args_text == call.args_text
        return matcher.matches(earlier.args, call.args)

    def _incomparable(self, calls: Sequence[ToolCall]) -> str | None:
        if not self.argument_matcher.needs_arguments:
            return None
        times = Counter(call.name for call in calls)
        return unrecorded_arguments(calls, {name for name, count in times.items() if count > 1})
