"""Did the tools that the agent called do their work?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import Field

from ..definition.registry import evaluator
from ..model import AgentTrace, JsonObject, Score, ToolCall
from ..text.messages import NO_CALLS, counted, listed
from .closing import ends_the_run
from .failure import Failure, FailureRules
from .failure.job import failed_jobs
from .failure.result import words_of_failure
from .failure.retry import found_it_there, makes_good
from .failure.text import says_unknown_tool
from .failure.tool_kind import may_write, moves_browser, words

__all__ = ["ToolError"]

Status: TypeAlias = Literal["ok", "error", "recovered", "failing_program", "skipped", "not_executed"]

_TESTS: Final = frozenset({"jest", "pytest", "test", "tests", "unittest"})
_FAILURES: Final = frozenset({"error", "recovered", "failing_program"})


@dataclass(frozen=True, slots=True)
class _Call:
    """A call with its outcome."""

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
    version=3,
    source="Dokimos ToolErrorEvaluator; isError: MCP 2025-06-18 CallToolResult; status: OpenTelemetry span status; "
    "GraphQL October 2021 errors; gRPC status codes; RFC 9457; the rules for text and recovery are ours",
    reads=("tool_calls",),
    skipped_when="no executed calls; no results recorded",
    threshold=None,
)
class ToolError(FailureRules):
    """Whether the tools did their work: the value is the share of the executed calls that did not fail.

    A run passes if a later call of the same tool made up for every failure (`recovered`). A shell or test runner that
    reports a failing program did its work: that lowers the value, but fails the run only at its end, and not if it only
    ran tests to see which fail. A call whose result was not recorded counts only if its status is an error. Calls that
    were never executed are left out, unless they were rejected because there is no such tool or because the arguments
    are wrong.
    """

    recovered: bool = Field(
        default=True, description="a failure that a later call of the same tool makes up for does not fail the run"
    )

    def __call__(self, trace: AgentTrace) -> Score:
        if not trace.tool_calls:
            return Score.skip(NO_CALLS)
        return _score(self._read_outcomes(trace.tool_calls, trace.error))

    def _read_outcomes(self, calls: Sequence[ToolCall], error: str | None) -> list[_Call]:
        """Return the calls with their outcomes; read backwards, so that later calls are known."""
        outcomes: list[_Call] = []
        failures = self._find_failures(calls, error)
        last = max((at for at, call in enumerate(calls) if _is_work(call)), default=-1)
        successes: dict[str, list[ToolCall]] = {}
        has_gone_on = False
        for position in reversed(range(len(calls))):
            call, failure = calls[position], failures[position]
            if failure is None:
                outcomes.append(_Call(position, call, _status_of(call)))
                if call.status in {"ok", "error"}:
                    successes.setdefault(_family_of(call), []).append(call)
                    has_gone_on = has_gone_on or self.kind_of(call) in {"writer", "runner"}
            elif failure.is_program:
                is_end = position == last and not self._only_runs_tests(calls[: position + 1])
                outcomes.append(_Call(position, call, "error" if is_end else "failing_program", failure))
            else:
                later = successes.get(_family_of(call), ())
                is_recovered = self._is_made_good(call, later) or (has_gone_on and found_it_there(call))
                is_recovered = self.recovered and is_recovered
                outcomes.append(_Call(position, call, "recovered" if is_recovered else "error", failure))
        return outcomes[::-1]

    def _only_runs_tests(self, calls: Sequence[ToolCall]) -> bool:
        """Return whether the last of the calls runs tests by its name, and those before it changed nothing: which tests
        fail is then what was asked for."""
        *before, call = calls
        return not _TESTS.isdisjoint(words(call.name)) and not any(may_write(one, self.kind_of(one)) for one in before)

    def _find_failures(self, calls: Sequence[ToolCall], error: str | None) -> list[Failure | None]:
        failures = [self.failure_of(call) or self._refusal_of(call, error) for call in calls]
        jobs = failed_jobs(calls, [self.kind_of(call) for call in calls]) if self.job_failed else ()
        return [
            failure or (Failure("job_failed") if position in jobs else None)
            for position, failure in enumerate(failures)
        ]

    def _refusal_of(self, call: ToolCall, error: str | None) -> Failure | None:
        """Return the failure of a call if the run's `error` says that there is no such tool; else None."""
        if not self.unknown_tool or error is None or call.status in {"ok", "error"} or call.name not in error:
            return None
        return Failure("unknown_tool") if says_unknown_tool(error) else None

    def _is_made_good(self, call: ToolCall, later: Sequence[ToolCall]) -> bool:
        kind = self.kind_of(call)
        alike = [success for success in later if success.name == call.name or moves_browser(call.name)]
        return any(makes_good(success, call, kind=kind) for success in alike[-_MOST_RETRIES:])


_MOST_RETRIES: Final = 50
"""How many later successful calls of the same tool are considered."""


def _family_of(call: ToolCall) -> str:
    """Return the name of the tool, "browser" for those of a browser: a page that is missing is no fault if the next one
    opens, by whatever tool."""
    return "browser" if moves_browser(call.name) or "browser" in words(call.name) else call.name


def _status_of(call: ToolCall) -> Status:
    if call.status == "not_executed":
        return "not_executed"
    return "skipped" if call.result is None else "ok"


def _is_work(call: ToolCall) -> bool:
    return call.status != "not_executed" and not ends_the_run(call, or_notes=True)


def _score(calls: list[_Call]) -> Score:
    executed = [call for call in calls if call.status in {"ok", *_FAILURES}]
    details: list[JsonObject] = [call.details() for call in calls]
    if not executed:
        return Score.skip(_why_none(calls), calls=details)
    failures = [call for call in executed if call.status in _FAILURES]
    quotes = _quotes(failures)
    skipped = sum(call.status == "skipped" for call in calls)
    failed = any(call.status == "error" for call in failures)
    return Score(
        value=(len(executed) - len(failures)) / len(executed),
        label="recovered" if not failed and any(call.status == "recovered" for call in failures) else None,
        passed=not failed,
        explanation=_explanation(failures, quotes, executed=len(executed), skipped=skipped),
        details={"calls": details, "judged": len(executed), "skipped": skipped}
        | ({"quotes": quotes} if quotes else {}),
    )


def _why_none(calls: Sequence[_Call]) -> str:
    if any(call.status == "skipped" for call in calls):
        return "no result of a tool call was recorded"
    return "no tool call was executed"


def _quotes(failures: Sequence[_Call]) -> list[JsonObject]:
    """Return what the failed calls said, the one that matters most first; apart from all else, since it is content."""
    first = sorted(failures, key=lambda call: call.status != "error")[:_MOST_QUOTES]
    words = ((call.position, words_of_failure(call.call)) for call in first)
    return [{"position": position, "text": text} for position, text in words if text]


_MOST_QUOTES: Final = 10


def _explanation(failures: Sequence[_Call], quotes: Sequence[JsonObject], *, executed: int, skipped: int) -> str:
    left_out = f" ({counted(skipped, 'result')} not recorded)" if skipped else ""
    if not failures:
        return f"no call failed{left_out}"
    first = sorted(failures, key=lambda call: call.status != "error")
    names = listed(list(dict.fromkeys(map(str, first))))
    said = f"; said “{quotes[0]['text']}”" if quotes else ""
    return f"{len(failures)} of {counted(executed, 'call')} failed{left_out}: {names}{said}"
