"""Did the tools that the agent called do their work?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import Field

from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..phrases import counted, listed
from ..registry import evaluator
from .failure import Failure, FailureRules
from .recorded import why_no_calls

__all__ = ["ToolError"]

Status: TypeAlias = Literal["ok", "error", "recovered", "failing_program", "skipped", "not_executed"]

_FAILURES: Final = frozenset({"error", "recovered", "failing_program"})
_CLOSING_TOOLS: Final = frozenset(
    {
        "submit",
        "finish",
        "final_answer",
        "final_result",
        "complete",
        "done",
        "attempt_completion",
        "think",
        "todo_write",
    }
)
"""Tools that end a run or note something: what stands before them is the last thing that the run did."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call with what became of it."""

    position: int
    call: ToolCall
    status: Status
    failure: Failure | None = None

    def details(self) -> JsonObject:
        details: JsonObject = {"position": self.position, "name": self.call.name, "status": self.status}
        if self.failure is not None:
            details["rule"] = self.failure.rule
            details |= {"error": self.failure.name} if self.failure.name else {}
        return details

    def __str__(self) -> str:
        text = f"{self.call.name}: {self.failure}"
        if self.status == "recovered":
            return f"{text}, recovered by a retry"
        is_end = self.status == "error" and self.failure is not None and self.failure.is_program
        return f"{text}, the last thing that the run did" if is_end else text


@evaluator(
    "tool_error",
    version=2,
    source="Dokimos ToolErrorEvaluator; isError: MCP 2025-06-18 CallToolResult; status: OpenTelemetry span status; "
    "GraphQL October 2021 errors; gRPC status codes; RFC 9457; the rules for text and recovery are ours",
    reads=("tool_calls",),
    skipped_when="no executed calls; no results recorded",
    threshold=None,
)
class ToolError(FailureRules):
    """Whether the tools did their work: the value is the share of the executed calls that did not fail.

    A run passes when every failure was made good by a later call of the same tool (`recovered`). A shell or test
    runner that reports a failing program did its work: that lowers the value, and fails only at the end of the run. A
    call whose result was not recorded counts by its status alone, and is left out when that does not say error. Calls
    that were never executed are left out, unless the agent was told that there is no such tool or that the arguments
    are wrong.
    """

    recovered: bool = Field(
        default=True, description="a failure that a later call of the same tool made good does not fail the run"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(why_no_calls(trace))
        return _score(list(self._calls(trace.tool_calls)))

    def _calls(self, calls: Sequence[ToolCall]) -> Iterator[_Call]:
        failures = [self.failure_of(call) for call in calls]
        last = max((at for at, call in enumerate(calls) if _is_work(call)), default=-1)
        successes: dict[str, int] = {}
        for position, call in enumerate(calls):
            if failures[position] is None and call.status != "not_executed":
                successes[call.name] = position
        for position, call in enumerate(calls):
            failure = failures[position]
            if failure is None:
                yield _Call(position, call, _status_of(call))
            elif failure.is_program:
                yield _Call(position, call, "error" if position == last else "failing_program", failure)
            else:
                latest = successes.get(call.name, -1)
                is_recovered = self.recovered and latest > position and _is_after(calls[latest], call)
                yield _Call(position, call, "recovered" if is_recovered else "error", failure)


def _status_of(call: ToolCall) -> Status:
    if call.status == "not_executed":
        return "not_executed"
    return "skipped" if call.result is None else "ok"


def _is_work(call: ToolCall) -> bool:
    return call.status != "not_executed" and call.name not in _CLOSING_TOOLS


def _is_after(later: ToolCall, call: ToolCall) -> bool:
    """Whether `later` began when `call` was over: of calls side by side none makes up for another."""
    if later.started_at is None or call.started_at is None or call.duration_ms is None:
        return True
    return (later.started_at - call.started_at).total_seconds() * 1000 >= call.duration_ms * _OVERLAP


_OVERLAP: Final = 0.5
"""Clocks of spans are coarse: what begins in the second half of a call comes after it."""


def _score(calls: list[_Call]) -> Score:
    judged = [call for call in calls if call.status in {"ok", *_FAILURES}]
    details: list[JsonObject] = [call.details() for call in calls]
    if not judged:
        return Score.skip(_why_none(calls), calls=details)
    failures = [call for call in judged if call.status in _FAILURES]
    skipped = sum(call.status == "skipped" for call in calls)
    failed = any(call.status == "error" for call in failures)
    return Score(
        value=(len(judged) - len(failures)) / len(judged),
        label="recovered" if not failed and any(call.status == "recovered" for call in failures) else None,
        passed=not failed,
        explanation=_explanation(failures, judged=len(judged), skipped=skipped),
        details={"calls": details, "judged": len(judged), "skipped": skipped},
    )


def _why_none(calls: Sequence[_Call]) -> str:
    if any(call.status == "skipped" for call in calls):
        return "no result of a tool call was recorded"
    return "no tool call was executed"


def _explanation(failures: Sequence[_Call], *, judged: int, skipped: int) -> str:
    left_out = f" ({counted(skipped, 'result')} not recorded)" if skipped else ""
    if not failures:
        return f"no call failed{left_out}"
    first = sorted(failures, key=lambda call: call.status != "error")
    names = listed(list(dict.fromkeys(map(str, first))))
    return f"{len(failures)} of {counted(judged, 'call')} failed{left_out}: {names}"
