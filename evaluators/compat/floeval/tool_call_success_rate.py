"""Are the results of tools errors, by Floeval's rules?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...definition.registry import Options, evaluator
from ...model import AgentTrace, Score, ToolCall
from ...text.messages import NO_CALLS, listed

__all__ = ["ToolCallSuccessRate"]

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
    "floeval:tool_call_success_rate",
    version=1,
    source="floeval 2.0.0 ToolCallSuccessRateMetric",
    reads=("tool_calls",),
    skipped_when="no calls; no results recorded",
    threshold=0.8,
)
class ToolCallSuccessRate(Options):
    """Share of the tool results that do not look like an error, to four digits.

    A result fails if it begins with `error:`, `exception:`, `failed:`, `traceback` or `http error`, if it is an HTTP
    error code and nothing else, or if it has under 200 characters and contains `not found`, `unauthorized`,
    `forbidden`, `timeout`, `connection refused`, `internal server error`, `bad gateway` or `service unavailable`. So
    an `error` in JSON does not fail, but "no forbidden words" does. An empty result succeeds. A call without a
    result is left out, unless an error was recorded for it.
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
